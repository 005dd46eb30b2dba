/** @file What a message shows of an answer: the thinking, folded, and the answer itself. */

import { MarkdownView } from "./markdown/view.js";
import { ThinkingSplitter } from "./thinking.js";
import { say } from "./words.js";

export class AnswerView {
  #splitter = new ThinkingSplitter(
    (text) => this.#think(text),
    (text) => this.#say(text),
  );
  /** @type {MarkdownView | null} */
  #thinking = null;
  /** @type {HTMLDetailsElement | null} */
  #details = null;
  #summary = document.createElement("summary");
  #answer;

  /** @param {HTMLElement} element  shows both, and nothing else */
  constructor(element) {
    this.element = element;
    this.#answer = new MarkdownView(section(element));
  }

  /** @param {string} text */
  write(text) {
    this.#splitter.write(text);
  }

  /** The text is whole. */
  end() {
    this.#splitter.end();
    this.#thinking?.end();
    this.#answer.end();
    this.#summary.textContent = say("Thought");
    // Thinking that never ended is all there is to read.
    if (this.#splitter.isThinking && this.#details) this.#details.open = true;
  }

  commit() {
    this.#thinking?.commit();
    this.#answer.commit();
  }

  /** @param {string} text */
  #think(text) {
    if (!this.#thinking && text.trim() === "") return; // models that do not think say so with an empty pair
    this.#thinking ??= this.#fold();
    this.#thinking.write(text);
  }

  /** @param {string} text */
  #say(text) {
    if (this.#thinking) this.#summary.textContent = say("Thought");
    this.#answer.write(text);
  }

  #fold() {
    this.#details = document.createElement("details");
    this.#details.className = "thinking";
    this.#summary.textContent = say("Thinking…");
    this.#details.append(this.#summary);
    this.element.prepend(this.#details);
    return new MarkdownView(section(this.#details));
  }
}

/** @param {HTMLElement} parent */
function section(parent) {
  const element = document.createElement("div");
  element.className = "markdown";
  parent.append(element);
  return element;
}
