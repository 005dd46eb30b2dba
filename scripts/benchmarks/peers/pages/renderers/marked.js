/** @file The second thing everybody writes: the whole answer parsed again per token. */

import { marked } from "marked";

import { chat } from "../chat.js";

chat((answer) => {
  let all = "";
  return {
    write(text) {
      all += text;
      answer.innerHTML = marked.parse(all);
    },
  };
});
