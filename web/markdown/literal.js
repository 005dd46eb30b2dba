/** @file Text as it is, line by line, in groups that are laid out only where they are seen. */

import { pieceLength, PIECE_LENGTH } from "./pieces.js";

/** Lines of a group. */
const GROUP = 64;

export class LiteralView {
  #lines = 0;
  #group;
  #text;

  /** @param {Element} element */
  constructor(element) {
    this.element = element;
    this.#group = this.#newGroup();
    this.#text = this.#newText();
  }

  /** @param {string} text */
  append(text) {
    for (let from = 0; from < text.length; ) {
      const end = this.#groupEnd(text, from);
      this.#say(text.slice(from, end));
      from = end;
      if (this.#lines < GROUP) continue;
      this.#lines = 0;
      this.#group.classList.add("finished");
      this.#group = this.#newGroup();
      this.#text = this.#newText();
    }
  }

  /**
   * How far the text goes into this group.
   * @param {string} text
   * @param {number} from
   */
  #groupEnd(text, from) {
    let end = from;
    while (this.#lines < GROUP) {
      const newline = text.indexOf("\n", end);
      if (newline < 0) return text.length;
      end = newline + 1;
      this.#lines += 1;
    }
    return end;
  }

  /** @param {string} text */
  #say(text) {
    for (let rest = text; rest; ) {
      const length = pieceLength(rest, PIECE_LENGTH - this.#text.length);
      this.#text.appendData(rest.slice(0, length));
      rest = rest.slice(length);
      if (rest) this.#text = this.#newText();
    }
  }

  #newGroup() {
    const group = document.createElement("span");
    group.className = "lines";
    return this.element.appendChild(group);
  }

  #newText() {
    return this.#group.appendChild(document.createTextNode(""));
  }
}
