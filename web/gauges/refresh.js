/** @file The screen's refresh interval. */

import { afterFrame } from "../painter.js";
import { median } from "./recent.js";

const ASSUMED_MS = 1000 / 60;

/** Frames of one look, and how many of them must tell. */
const LOOKED_AT = 12;
const ENOUGH = 6;
/** A page that had no rest is looked at again. */
const AGAIN_MS = 5000;
/** No screen refreshes less often than 24 times a second. */
const LONGEST_MS = 1000 / 24 + 1;

/** Looks at a few frames, then no more: to ask for frames all the time would cost what it measures. */
export class Refresh {
  ms = ASSUMED_MS;
  isMeasured = false;
  /** @type {number[]} */
  #intervalsMs = [];
  #isOn = false;
  #framesLeft = 0;
  #lastAt = 0;
  #frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  start() {
    this.#isOn = true;
    this.#framesLeft = LOOKED_AT;
    this.#intervalsMs = [];
    this.#lastAt = 0;
    this.#ask();
  }

  stop() {
    this.#isOn = false;
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
  }

  #ask() {
    this.#frame = requestAnimationFrame((frameAt) => {
      const lastAt = this.#lastAt;
      this.#lastAt = frameAt;
      afterFrame([() => lastAt > 0 && this.#look(frameAt - lastAt, performance.now() - frameAt)]);
      if (--this.#framesLeft > 0) this.#ask();
      else afterFrame([() => this.#conclude()]);
    });
  }

  /**
   * A frame whose work took most of it may have made the next one late: it does not tell.
   * @param {number} intervalMs
   * @param {number} workMs
   */
  #look(intervalMs, workMs) {
    if (intervalMs <= LONGEST_MS && workMs < intervalMs / 2) this.#intervalsMs.push(intervalMs);
  }

  #conclude() {
    this.isMeasured = this.#intervalsMs.length >= ENOUGH;
    if (this.isMeasured) this.ms = median(Float64Array.from(this.#intervalsMs)) ?? ASSUMED_MS;
    else if (this.#isOn) this.#timer = setTimeout(() => this.start(), AGAIN_MS);
  }
}
