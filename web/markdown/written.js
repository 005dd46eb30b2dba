/** @file All the text of a block, which grows, and of which parts are looked into all the while. */

/** A string that has grown is copied when it is looked into: so much of it, not all. */
const RECENT_LENGTH = 4096;

export class Written {
  #old = "";
  #recent = "";

  get length() {
    return this.#old.length + this.#recent.length;
  }

  get text() {
    return this.#old + this.#recent;
  }

  /** @param {string} text */
  add(text) {
    this.#recent += text;
    if (this.#recent.length < RECENT_LENGTH) return;
    this.#old += this.#recent;
    this.#recent = "";
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  slice(from, to) {
    const { length } = this.#old;
    if (from >= length) return this.#recent.slice(from - length, to - length);
    return this.#old.slice(from, to) + (to > length ? this.#recent.slice(0, to - length) : "");
  }
}
