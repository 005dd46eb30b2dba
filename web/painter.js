/** @file Puts text on the page, at most once a frame. */

import { taps } from "./gauges/taps.js";

/**
 * Where an answer is shown: `write` takes text, `commit` brings the document up to it, after `end`
 * there is no more.
 * @typedef {{ write(text: string): void, commit(): void, end(): void }} Output
 */

/**
 * Text that arrives between two frames is shown together in the next frame's
 * rendering step. A hidden page has no frames: there text is shown as it comes,
 * which the worker's batcher has already paced.
 */
export class Painter {
  #pending = "";
  #frame = 0;
  /** @type {(() => void)[]} */
  #unacknowledged = [];
  #onVisibility = () => document.hidden && this.flush();

  /**
   * @param {Output} output
   * @param {() => void} onCommit  called after each commit, in its frame
   */
  constructor(output, onCommit) {
    this.output = output;
    this.onCommit = onCommit;
    document.addEventListener("visibilitychange", this.#onVisibility);
  }

  /**
   * @param {string} text
   * @param {() => void} painted  called once the frame that shows it is through
   */
  append(text, painted) {
    this.#pending += text;
    this.#unacknowledged.push(painted);
    if (document.hidden) this.flush();
    else this.#frame ||= requestAnimationFrame((frameAt) => this.flush(frameAt));
  }

  /**
   * Shows what waits, now.
   * @param {number | null} [frameAt]  when the frame began whose rendering step this is
   */
  flush(frameAt = null) {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const text = this.#pending;
    this.#pending = "";
    if (text !== "") {
      const ended = taps.commit?.(text.length, frameAt);
      this.output.write(text);
      this.output.commit();
      this.onCommit();
      ended?.();
    }
    afterFrame(this.#unacknowledged.splice(0));
  }

  /** Shows what waits and takes no more. */
  close() {
    this.flush();
    this.output.end();
    this.output.commit();
    document.removeEventListener("visibilitychange", this.#onVisibility);
  }
}

const channel = new MessageChannel();
/** @type {(() => void)[]} */
let due = [];
channel.port1.onmessage = () => {
  for (const callback of due.splice(0)) callback();
};

/**
 * A message posted in a frame's callbacks is delivered after its rendering:
 * what is acknowledged then has been painted.
 * @param {(() => void)[]} callbacks
 */
export function afterFrame(callbacks) {
  if (callbacks.length === 0) return;
  due.push(...callbacks);
  channel.port2.postMessage(null);
}
