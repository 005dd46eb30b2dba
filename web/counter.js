/** @file Token counts from the worker: one under way at most, and of those that wait only the newest. */

/** @import { Count, Counted, TokenCount } from "../worker/protocol.js" */

/** @typedef {{ id: number, text: string, resolve: (count: TokenCount | null) => void }} Asked */

export class Counter {
  /** @type {Asked | null} */
  #underWay = null;
  /** @type {Asked | null} */
  #waiting = null;
  #nextId = 1;

  /** @param {(message: Count) => void} post */
  constructor(post) {
    this.post = post;
  }

  /**
   * @param {string} text
   * @returns {Promise<TokenCount | null>}  null: a newer text was asked about, or the worker is gone
   */
  count(text) {
    return new Promise((resolve) => {
      this.#waiting?.resolve(null);
      this.#waiting = { id: this.#nextId++, text, resolve };
      this.#next();
    });
  }

  /** @param {Counted} message */
  counted({ id, count }) {
    if (id !== this.#underWay?.id) return; // of a worker that is gone
    this.#underWay.resolve(count);
    this.#underWay = null;
    this.#next();
  }

  /** The worker is gone. */
  lost() {
    this.#underWay?.resolve(null);
    this.#waiting?.resolve(null);
    this.#underWay = null;
    this.#waiting = null;
  }

  #next() {
    if (this.#underWay || !this.#waiting) return;
    this.#underWay = this.#waiting;
    this.#waiting = null;
    this.post({ type: "count", id: this.#underWay.id, text: this.#underWay.text });
  }
}
