/** @file What the gauges themselves take of the main thread. */

import { wallClock } from "../../../worker/protocol.js";
import { say } from "../../words.js";
import { percent } from "../amounts.js";

/** @import { Cell, Meter } from "../meter.js" */

/** @implements {Meter} */
export class Cost {
  #openedAt = wallClock();
  #spentMs = 0;

  /** @type {Cell[]} */
  cells = [
    {
      stage: null,
      label: say("these gauges"),
      definition: say("Time spent in the gauges' own code ÷ the time they have been open. What the browser takes to draw them is not in it."),
      shown: ({ ownShare }) => percent(ownShare),
    },
  ];

  /** @param {number} ms */
  add(ms) {
    this.#spentMs += ms;
  }

  figures() {
    return { ownShare: this.#spentMs / Math.max(1, wallClock() - this.#openedAt) };
  }
}
