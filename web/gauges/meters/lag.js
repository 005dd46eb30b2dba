/** @file How old text is when it is on the screen. */

import { say } from "../../words.js";
import { spread } from "../amounts.js";
import { quantiles, Recent } from "../recent.js";

/** @import { Batch, Cell, Meter, Painting } from "../meter.js" */

/** @implements {Meter} */
export class Lag {
  #ms = new Recent();

  /** @type {Cell[]} */
  cells = [
    {
      stage: "paint",
      label: say("lag"),
      definition: say(
        "From the moment the worker sends a batch until the frame that shows it is rendered: median / 95th percentile. A frame at 60 Hz is 17 ms.",
      ),
      shown: ({ lagP50Ms, lagP95Ms }) => spread(lagP50Ms, lagP95Ms),
    },
  ];

  /**
   * @param {Batch} batch
   * @param {Painting} painting
   */
  painted({ sentAt }, { paintedAt }) {
    this.#ms.add(paintedAt, paintedAt - sentAt);
  }

  /** @param {number} since */
  figures(since) {
    const [lagP50Ms = null, lagP95Ms = null] = quantiles(this.#ms.values(since), 0.5, 0.95);
    return { lagP50Ms, lagP95Ms };
  }

  samples() {
    return { lagMs: this.#ms.values() };
  }
}
