/** @file react-markdown with GFM, rendered once a frame. */

import { chat } from "../react.jsx";
import { GfmAnswer } from "./gfm-answer.jsx";

chat(GfmAnswer);
