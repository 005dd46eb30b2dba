// Fault G: the page cannot draw although its thread is idle. While an answer comes, a worker keeps
// the GPU process busy, and frames wait behind it. ?gpu=0 leaves the worker out: the same page is
// clean then.
//
// Without a GPU only new tiles pass through the GPU process. The paragraph being written therefore
// is a layer of its own, as in pages that mean to spare themselves painting: its tile is a new one
// with every line.

import { query, start } from "./chat.js";
import { TextAnswer } from "./text.js";

const worker = new Worker(new URL("./fault-g-worker.js", import.meta.url), { type: "module" });
worker.addEventListener("message", ({ data }) => {
  document.title = `Fault G: ${data.error}`;
});

class LayeredAnswer extends TextAnswer {
  /** @param {HTMLElement} body @param {() => void} follow */
  constructor(body, follow) {
    super(body, follow);
    body.classList.add("layered");
    if (query.get("gpu") !== "0") worker.postMessage("start");
  }

  /** @override */
  end() {
    worker.postMessage("stop");
    super.end();
    this.body.classList.remove("layered");
  }
}

start({ Answer: LayeredAnswer });
