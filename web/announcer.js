/** @file What a screen reader is told: that an answer is being made, and how it ended; its sentences, if asked for. */

import { say } from "./words.js";

/** Sentences that are there to be read again. */
const MOST_KEPT = 5;

/** What does not end for so long is told as it is, characters. */
const MOST_LENGTH = 500;

/** Where a sentence ends: at its mark before a space, at a CJK mark, at a line's end. */
const SENTENCE = /[^\n]*?(?:[.!?…]["'”’)]*(?=\s)|[。！？]|\n)/g;

/** What Markdown adds to the words. */
const MARKUP = /[*_`#>|~]+/g;

export class Announcer {
  #rest = "";

  /**
   * @param {HTMLElement} status     role=status, seen by nobody
   * @param {HTMLElement} sentences  role=log, seen by nobody
   * @param {() => boolean} wantsSentences
   */
  constructor(status, sentences, wantsSentences) {
    this.status = status;
    this.sentences = sentences;
    this.wantsSentences = wantsSentences;
  }

  begin() {
    this.#rest = "";
    this.sentences.replaceChildren();
    this.status.textContent = say("An answer is being written");
  }

  /** @param {string} text */
  write(text) {
    if (!this.wantsSentences()) return;
    this.#rest += text;
    let end = 0;
    for (const { 0: sentence, index } of this.#rest.matchAll(SENTENCE)) {
      this.#tell(sentence);
      end = index + sentence.length;
    }
    this.#rest = this.#rest.slice(end);
    if (this.#rest.length > MOST_LENGTH) this.#flush();
  }

  /** @param {"done" | "stopped" | "failed"} state */
  end(state) {
    this.#flush();
    this.status.textContent = { done: say("The answer is complete"), stopped: say("Stopped"), failed: say("This answer failed") }[state];
  }

  #flush() {
    this.#tell(this.#rest);
    this.#rest = "";
  }

  /** @param {string} sentence */
  #tell(sentence) {
    const words = sentence.replace(MARKUP, "").trim();
    if (words === "") return;
    const line = document.createElement("p");
    line.textContent = words;
    this.sentences.append(line);
    if (this.sentences.childElementCount > MOST_KEPT) this.sentences.firstElementChild?.remove();
  }
}
