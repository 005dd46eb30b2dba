/** @file What links and notes refer to, and what waits for it to be defined. */

import { referred } from "./reference.js";

/** @import { Reference } from "./nodes.js" */

/**
 * A block that reads its text again once a label is known; `length` is what that costs.
 * @typedef {{ length: number, reread(): void }} Reader
 */

/** For one character that a block reads again so many of the answer have come. */
const SHARE = 1 / 8;

/** @typedef {{ href: string, title: string | null } | { number: number }} Target */

export class References {
  /** A note's key begins with "^", as no link's does. @type {Map<string, Target>} */
  #targets = new Map();
  /** Notes are numbered as they are defined: what has been shown keeps its number. */
  #noteCount = 0;
  /** By key. @type {Map<string, Set<Reference>>} */
  #expected = new Map();
  /** By key. @type {Map<string, Set<Reader>>} */
  #waiting = new Map();
  /** Readers to which a definition has come. @type {Set<Reader>} */
  #due = new Set();
  /** By reader: where in the answer it is next to be read again. @type {WeakMap<Reader, number>} */
  #next = new WeakMap();
  #length = 0;
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
    if (expected) expected.add(reference);
    else this.#expected.set(reference.key, new Set([reference]));
  }

  /** Those of a text that is read once more. @param {Iterable<Reference>} references */
  forget(references) {
    for (const reference of references) this.#expected.get(reference.key)?.delete(reference);
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

  /**
   * Lets those read again whose labels have been defined meanwhile. A long one is read not with each
   * definition, but at intervals as long as itself, so that all are linear in the answer.
   * @param {number} length  of the text that has come
   * @param {boolean} [isWhole]  no more comes
   */
  settle(length, isWhole = false) {
    this.#length += length;
    const due = [...this.#due].filter((reader) => isWhole || this.#length >= (this.#next.get(reader) ?? 0));
    for (const reader of due) {
      this.#due.delete(reader);
      this.#next.set(reader, this.#length + reader.length * SHARE);
      reader.reread();
    }
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
