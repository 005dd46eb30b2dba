/** @file The whole answer parsed again, but once a frame. */

import MarkdownIt from "markdown-it";

import { chat } from "../chat.js";
import { oncePerFrame } from "../frame.js";

const markdown = new MarkdownIt();

chat((answer) => {
  let all = "";
  const frame = oncePerFrame(() => {
    answer.innerHTML = markdown.render(all);
  });
  return {
    write(text) {
      all += text;
      frame.ask();
    },
    end: frame.settle,
  };
});
