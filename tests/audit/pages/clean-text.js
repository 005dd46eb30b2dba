import { start } from "./chat.js";
import { TextAnswer } from "./text.js";

// ?work=N: so many thousand steps of arithmetic for each flush, to make the page a little dearer.
const STEPS = 1000 * Number(new URLSearchParams(location.search).get("work"));

class Answer extends TextAnswer {
  flush() {
    let x = 1;
    for (let i = 0; i < STEPS; i++) x = (x * 31 + i) | 0;
    this.last = x; // so that the loop is not dropped
    super.flush();
  }
}

start({ Answer });
