// Paints every 64 ms on purpose: fewer frames, and none of them late.

import { start } from "./chat.js";
import { TextAnswer } from "./text.js";

const EVERY_MS = 64;

class ThrottledAnswer extends TextAnswer {
  /** @override @param {() => void} flush */
  schedule(flush) {
    setTimeout(flush, EVERY_MS);
  }
}

start({ Answer: ThrottledAnswer });
