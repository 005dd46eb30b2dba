// Fault E: Stop stops the page and not the model. Nothing more is drawn, and the answer is read
// to its end behind the reader's back.

import { Call, start } from "./chat.js";
import { TextAnswer } from "./text.js";

class DeafCall extends Call {
  /** @override */
  stop() {
    this.stopped = true;
    this.answer.end();
  }

  /** @override @param {string} piece */
  receive(piece) {
    if (!this.stopped) super.receive(piece);
  }
}

start({ Answer: TextAnswer, Call: DeafCall });
