/** @file The first thing everybody writes: markup added per token. */

import { chat } from "../chat.js";

chat((answer) => {
  answer.classList.add("plain");
  return {
    write(text) {
      answer.innerHTML += text;
    },
  };
});
