/** @file A parser that only appends, fed once a frame. */

import { default_renderer, parser, parser_end, parser_write } from "streaming-markdown";

import { chat } from "../chat.js";
import { oncePerFrame } from "../frame.js";

chat((answer) => {
  const state = parser(default_renderer(answer));
  let pending = "";
  const frame = oncePerFrame(() => {
    parser_write(state, pending);
    pending = "";
  });
  return {
    write(text) {
      pending += text;
      frame.ask();
    },
    end() {
      frame.settle();
      parser_end(state);
    },
  };
});
