// Fault D: a typewriter. Its queue takes whatever comes and gives two pieces every tenth of a
// second, so that a faster answer falls behind for as long as it lasts, on an idle thread.
// Stop ends the request; what is in the queue is typed all the same.

import { start } from "./chat.js";
import { TextAnswer } from "./text.js";

const EVERY_MS = 100;
const PIECES = 2;

class TypedAnswer extends TextAnswer {
  /** @type {string[]} */
  queue = [];
  timer = 0;

  /** @override @param {string} piece */
  push(piece) {
    this.queue.push(piece);
    this.timer ||= window.setInterval(() => this.type(), EVERY_MS);
  }

  type() {
    for (const piece of this.queue.splice(0, PIECES)) super.push(piece);
    if (this.queue.length) return;
    clearInterval(this.timer);
    this.timer = 0;
  }
}

start({ Answer: TypedAnswer });
