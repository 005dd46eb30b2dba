/** @file Groups decoded text into batches for the page: the bound between worker and page. */

import { FRAME_MS, MAX_UNPAINTED } from "./protocol.js";

/**
 * @typedef {{ batch: number, text: string, tokens: number }} Batch
 *
 * @typedef {object} Clock  real time, or a test's
 * @property {() => number} now  ms
 * @property {(callback: () => void, ms: number) => unknown} after
 */

/** @type {Clock} */
const realClock = {
  now: () => performance.now(),
  after: (callback, ms) => setTimeout(callback, ms),
};

/**
 * The first text leaves at once. After that a batch leaves when a frame has
 * passed since the last one and fewer than MAX_UNPAINTED wait to be painted;
 * meanwhile text pools here, and the next batch takes the whole pool. Nothing
 * is dropped or reordered and decoding never waits: a slow page gets fewer,
 * larger batches.
 */
export class Batcher {
  #pending = "";
  #pendingTokens = 0;
  #sent = 0;
  #painted = 0;
  #sentAt = -Infinity;
  #timed = false;
  #closed = false;
  /** @type {(() => void)[]} */
  #waiting = [];

  /**
   * @param {(batch: Batch) => void} send
   * @param {Clock} [clock]
   */
  constructor(send, clock = realClock) {
    this.send = send;
    this.clock = clock;
  }

  /** Code units that wait here. */
  get pendingLength() {
    return this.#pending.length;
  }

  /**
   * @param {string} text   may be empty: a token can end inside a character
   * @param {number} tokens
   */
  push(text, tokens = 1) {
    this.#pending += text;
    this.#pendingTokens += tokens;
    this.#sendIfDue();
  }

  /** @param {number} batch  the newest batch on the screen */
  painted(batch) {
    this.#painted = Math.max(this.#painted, batch);
    this.#sendIfDue();
  }

  /**
   * Resolves once fewer than `length` code units wait: for a source that can
   * produce as fast as it is taken.
   * @param {number} length
   * @returns {Promise<void>}
   */
  room(length) {
    if (this.#pending.length < length) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Ends the answer: what still waits is handed back, to travel with the last
   * message, and no batch leaves any more.
   * @returns {{ text: string, tokens: number }}
   */
  close() {
    this.#closed = true;
    return this.#take();
  }

  #sendIfDue() {
    if (this.#closed || this.#pending === "") return;
    if (this.#sent - this.#painted >= MAX_UNPAINTED) return; // painted() will come back here
    const waitMs = this.#sentAt + FRAME_MS - this.clock.now();
    if (waitMs > 0) return this.#sendAfter(waitMs);
    this.#sentAt = this.clock.now();
    this.send({ batch: ++this.#sent, ...this.#take() });
  }

  /** @param {number} waitMs */
  #sendAfter(waitMs) {
    if (this.#timed) return;
    this.#timed = true;
    this.clock.after(() => {
      this.#timed = false;
      this.#sendIfDue();
    }, waitMs);
  }

  #take() {
    const taken = { text: this.#pending, tokens: this.#pendingTokens };
    this.#pending = "";
    this.#pendingTokens = 0;
    for (const resolve of this.#waiting.splice(0)) resolve();
    return taken;
  }
}
