/** @file react-markdown with GFM, rendered with every chunk. */

import { chat } from "../react.jsx";
import { GfmAnswer } from "./gfm-answer.jsx";

chat(GfmAnswer, "chunk");
