/** @file Writes on their way into the store, in order. */

/** @import { Append, Write } from "./protocol.js" */

/**
 * Transactions that may be open. A transaction that was committed is carried out even when the page's
 * process dies before its turn comes, so none waits for the one before it; but where the disk is slow,
 * what comes pools, and is one transaction then.
 */
export const MOST_OPEN = 16;

export class Writer {
  /** @type {Write[]} */
  #pool = [];
  #isStarted = false;
  #open = 0;
  #received = 0;
  /** @type {Promise<void>} */
  #last = Promise.resolve();
  /** @type {{ n: number, resolve: () => void }[]} */
  #waiting = [];

  /**
   * @param {(writes: Write[], before: Promise<void>) => Promise<void>} store  all of them, in one transaction,
   *   after what was stored before
   * @param {(through: number) => void} onStored
   * @param {(error: unknown) => void} onFailed  nothing more is written
   */
  constructor(store, onStored, onFailed) {
    this.store = store;
    this.onStored = onStored;
    this.onFailed = onFailed;
  }

  /** What has come before this is one transaction. */
  start() {
    this.#isStarted = true;
    this.#next();
  }

  /** @param {Write} write */
  add(write) {
    this.#received = Math.max(this.#received, write.n);
    const last = this.#pool.at(-1);
    const longer = last && continued(last, write);
    if (longer) this.#pool[this.#pool.length - 1] = longer;
    else this.#pool.push(write);
    this.#next();
  }

  /** Resolves when all that has come so far is stored. @returns {Promise<void>} */
  settled() {
    const n = this.#received;
    if (this.#open === 0 && this.#pool.length === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push({ n, resolve }));
  }

  #next() {
    if (!this.#isStarted || this.#open >= MOST_OPEN || this.#pool.length === 0) return;
    const [writes, n] = [this.#pool, this.#received];
    this.#pool = [];
    this.#open += 1;
    this.#last = this.store(writes, this.#last).then(() => this.#reached(n));
    this.#last.catch(this.onFailed);
  }

  /** @param {number} n */
  #reached(n) {
    this.#open -= 1;
    this.onStored(n);
    const done = this.#waiting.filter((each) => each.n <= n);
    this.#waiting = this.#waiting.filter((each) => each.n > n);
    for (const { resolve } of done) resolve();
    this.#next();
  }
}

/**
 * Both pieces as one, where the second continues the first.
 * @param {Write} last
 * @param {Write} write
 * @returns {Append | null}
 */
function continued(last, write) {
  if (last.type !== "append" || write.type !== "append" || last.message !== write.message) return null;
  if (last.start + last.text.length !== write.start) return null;
  return { ...write, start: last.start, text: last.text + write.text };
}
