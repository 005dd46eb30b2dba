// Fault F: only frames empty the queue, and a hidden tab has none. Whoever comes back waits until
// all that has come meanwhile is drawn, a layout for each piece. In sight a frame has few pieces.

import { start } from "./chat.js";
import { TextAnswer } from "./text.js";

class QueuedAnswer extends TextAnswer {
  /** @type {string[]} */
  queue = [];
  frame = 0;

  /** @override @param {string} piece */
  push(piece) {
    this.queue.push(piece);
    this.frame ||= window.requestAnimationFrame(() => {
      this.frame = 0;
      this.drain();
    });
  }

  drain() {
    for (const piece of this.queue.splice(0)) {
      this.pending += piece;
      this.flush(); // follows, and so asks for a layout
    }
  }

  /** @override */
  end() {} // what is left is the next frame's
}

start({ Answer: QueuedAnswer });
