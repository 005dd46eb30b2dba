// Blocks: what ends at a blank line is rendered once and never touched again; only the last block
// is replaced, once a frame. Finished blocks lie in groups that are not laid out off the screen.

import { start } from "./chat.js";
import { html } from "./markdown.js";
import { TextAnswer } from "./text.js";

const GROUP = 16;

class BlockAnswer extends TextAnswer {
  /** @param {HTMLElement} body @param {() => void} follow */
  constructor(body, follow) {
    super(body, follow);
    body.classList.remove("plain");
    this.open = "";
    this.inFence = false;
    this.tail = document.createElement("div");
    this.group = document.createElement("div");
    body.append(this.group, this.tail);
  }

  /** @override */
  flush() {
    if (!this.pending) return;
    this.open += this.pending;
    this.pending = "";
    for (let end = this.blockEnd(); end; end = this.blockEnd()) {
      this.finish(this.open.slice(0, end));
      this.open = this.open.slice(end);
    }
    this.tail.innerHTML = html(this.open);
    this.follow();
  }

  /** Where the first block of the open text ends; 0 while it has not. */
  blockEnd() {
    const text = this.open.replace(/^\n+/, "");
    const skipped = this.open.length - text.length;
    const end = text.startsWith("```") ? /^```[^\S\n]*\n/m : /\n\n/;
    const from = text.startsWith("```") ? text.indexOf("\n") + 1 : 0;
    const found = text.startsWith("```") && !from ? null : end.exec(text.slice(from));
    return found ? skipped + from + found.index + found[0].length : 0;
  }

  /** @param {string} source */
  finish(source) {
    this.group.insertAdjacentHTML("beforeend", html(source));
    if (this.group.childElementCount < GROUP) return;
    this.group.className = "finished";
    this.group = document.createElement("div");
    this.tail.before(this.group);
  }
}

start({ Answer: BlockAnswer });
