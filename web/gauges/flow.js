/** @file Listens to the token path and tells the meters. */

import { wallClock } from "../../worker/protocol.js";
import { taps } from "./taps.js";

/** @import { Text } from "../../worker/protocol.js" */
/** @import { Batch, Frame, Meter } from "./meter.js" */
/** @import { Cost } from "./meters/cost.js" */

export class Flow {
  /** Since the gauges were opened. */
  counts = { batches: 0, tokens: 0, characters: 0, commits: 0, painted: 0 };
  /** When something was last heard. */
  lastAt = 0;
  /** The last text message's answer. */
  id = 0;
  /** The frame that has shown text and is not rendered yet. @type {Frame | null} */
  #frame = null;

  /**
   * @param {Meter[]} meters
   * @param {Cost} cost
   * @param {() => void} [onFrame]  called in a frame that will show text, before it does
   */
  constructor(meters, cost, onFrame = () => undefined) {
    this.meters = meters;
    this.cost = cost;
    this.onFrame = onFrame;
  }

  start() {
    taps.text = (message) => this.#received(message);
    taps.commit = (length, frameAt) => this.#commit(length, frameAt);
    taps.painted = (message) => this.#painted(message);
    for (const meter of this.meters) meter.start?.();
  }

  stop() {
    taps.text = taps.commit = taps.painted = null;
    for (const meter of this.meters) meter.stop?.();
  }

  /** @param {Text} message */
  #received(message) {
    const receivedAt = wallClock();
    const batch = batchOf(message, receivedAt);
    this.id = batch.id;
    this.counts.batches += 1;
    this.counts.tokens += batch.tokens;
    this.counts.characters += batch.length;
    for (const meter of this.meters) meter.received?.(batch);
    this.#heard(receivedAt);
  }

  /**
   * @param {number} length
   * @param {number | null} frameAt
   */
  #commit(length, frameAt) {
    if (frameAt !== null) this.onFrame();
    const committedAt = wallClock();
    return () => {
      const endedAt = wallClock();
      if (frameAt !== null) this.#frame = { beganAt: performance.timeOrigin + frameAt, committedAt };
      this.counts.commits += 1;
      for (const meter of this.meters) meter.committed?.({ length, ms: endedAt - committedAt, endedAt });
      this.#heard(endedAt);
    };
  }

  /** @param {Text} message */
  #painted(message) {
    const paintedAt = wallClock();
    const frame = this.#frame;
    this.#frame = null;
    this.counts.painted += 1;
    const batch = batchOf(message, paintedAt);
    for (const meter of this.meters) meter.painted?.(batch, { paintedAt, frame });
    this.#heard(paintedAt);
  }

  /** @param {number} at */
  #heard(at) {
    this.lastAt = at;
    this.cost.add(wallClock() - at);
  }
}

/**
 * @param {Text} message
 * @param {number} receivedAt
 * @returns {Batch}
 */
const batchOf = ({ id, batch, tokens, text, sentAt }, receivedAt) => ({ id, batch, tokens, length: text.length, sentAt, receivedAt });
