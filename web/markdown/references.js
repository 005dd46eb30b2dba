/** @file What links and notes refer to, and who waits for it to be defined. */

/**
 * A block that reads its text again once a label is known.
 * @typedef {{ reread(): void }} Reader
 */

export class References {
  /** @type {Map<string, { href: string, title: string | null }>} */
  #links = new Map();
  /** Numbered as they are defined: what has been shown keeps its number. @type {Map<string, number>} */
  #notes = new Map();
  /** By label; a note's begins with "^". @type {Map<string, Set<Reader>>} */
  #waiting = new Map();
  /** Readers to which a definition has come. @type {Set<Reader>} */
  #due = new Set();

  /** @param {string} key */
  link(key) {
    return this.#links.get(key);
  }

  /** @param {string} key */
  note(key) {
    return this.#notes.get(key);
  }

  /**
   * The first definition counts.
   * @param {string} key
   * @param {{ href: string, title: string | null }} target
   */
  defineLink(key, target) {
    if (this.#links.has(key)) return;
    this.#links.set(key, target);
    this.#wake(key);
  }

  /**
   * @param {string} key
   * @returns {number}  the note's
   */
  defineNote(key) {
    const known = this.#notes.get(key);
    if (known !== undefined) return known;
    const number = this.#notes.size + 1;
    this.#notes.set(key, number);
    this.#wake(`^${key}`);
    return number;
  }

  /**
   * @param {Reader} reader
   * @param {Iterable<string>} keys
   */
  wait(reader, keys) {
    for (const key of keys) {
      const waiting = this.#waiting.get(key);
      if (waiting) waiting.add(reader);
      else this.#waiting.set(key, new Set([reader]));
    }
  }

  /** Lets those read again whose labels have been defined meanwhile. */
  settle() {
    const due = [...this.#due];
    this.#due.clear();
    for (const reader of due) reader.reread();
  }

  /** @param {string} key */
  #wake(key) {
    for (const reader of this.#waiting.get(key) ?? []) this.#due.add(reader);
    this.#waiting.delete(key);
  }
}
