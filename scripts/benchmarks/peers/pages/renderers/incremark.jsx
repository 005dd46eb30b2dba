/** @file Incremark with GFM and its theme. */

import { IncremarkContent } from "@incremark/react";
import "@incremark/theme/styles.css";

import { chat } from "../react.jsx";

const OPTIONS = { gfm: true };

chat(({ text, isDone }) => (
  <IncremarkContent content={text} isFinished={isDone} incremarkOptions={OPTIONS} />
));
