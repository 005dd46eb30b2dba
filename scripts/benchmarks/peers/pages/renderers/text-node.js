/** @file The floor: once a frame what came is appended as a new text node. */

import { chat } from "../chat.js";
import { oncePerFrame } from "../frame.js";

chat((answer) => {
  answer.classList.add("plain");
  let pending = "";
  const frame = oncePerFrame(() => {
    answer.append(document.createTextNode(pending));
    pending = "";
  });
  return {
    write(text) {
      pending += text;
      frame.ask();
    },
    end: frame.settle,
  };
});
