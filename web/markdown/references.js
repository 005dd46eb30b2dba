/** @file What links and notes refer to, and what waits for it to be defined. */

import { referred } from "./reference.js";

/** @import { Reference } from "./nodes.js" */

/**
 * A block that reads its text again once a label is known.
 * @typedef {{ reread(): void }} Reader
 */

/** @typedef {{ href: string, title: string | null } | { number: number }} Target */

export class References {
  /** A note's key begins with "^", as no link's does. @type {Map<string, Target>} */
  #targets = new Map();
  /** Notes are numbered as they are defined: what has been shown keeps its number. */
  #noteCount = 0;
  /** By key. @type {Map<string, Reference[]>} */
  #expected = new Map();
  /** By key. @type {Map<string, Set<Reader>>} */
  #waiting = new Map();
  /** Readers to which a definition has come. @type {Set<Reader>} */
  #due = new Set();
  /** References that a definition has come for, to be shown. @type {Reference[]} */
  defined = [];

  /** @param {string} key */
  find(key) {
    return this.#targets.get(key);
  }

  /**
   * The first definition counts.
   * @param {string} key
   * @param {{ href: string, title: string | null }} target
   */
  defineLink(key, target) {
    if (!this.#targets.has(key)) this.#define(key, target);
  }

  /**
   * @param {string} label
   * @returns {number}  the note's
   */
  defineNote(label) {
    const key = `^${label}`;
    const known = this.#targets.get(key);
    if (known && "number" in known) return known.number;
    this.#noteCount += 1;
    this.#define(key, { number: this.#noteCount });
    return this.#noteCount;
  }

  /** @param {Reference} reference  gets its target once there is one */
  expect(reference) {
    const expected = this.#expected.get(reference.key);
    if (expected) expected.push(reference);
    else this.#expected.set(reference.key, [reference]);
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

  /**
   * @param {string} key
   * @param {Target} target
   */
  #define(key, target) {
    this.#targets.set(key, target);
    for (const reference of this.#expected.get(key) ?? []) {
      reference.target = referred(reference, target);
      this.defined.push(reference);
    }
    this.#expected.delete(key);
    for (const reader of this.#waiting.get(key) ?? []) this.#due.add(reader);
    this.#waiting.delete(key);
  }
}
