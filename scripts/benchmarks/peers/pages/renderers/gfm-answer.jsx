/** @file An answer by react-markdown. */

import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";

const PLUGINS = [remarkGfm];

export function GfmAnswer({ text }) {
  return <Markdown remarkPlugins={PLUGINS}>{text}</Markdown>;
}
