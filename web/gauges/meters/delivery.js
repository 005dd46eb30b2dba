/** @file How long messages are on their way from the worker. */

import { say } from "../../words.js";
import { count, spread } from "../amounts.js";
import { quantiles, Recent } from "../recent.js";

/** @import { Batch, Cell, Meter } from "../meter.js" */

/** @implements {Meter} */
export class Delivery {
  #deliveryMs = new Recent();

  /** @type {Cell[]} */
  cells = [
    {
      stage: "transport",
      label: say("delivery"),
      definition: say(
        "From the moment the worker sends a batch to the moment the page receives it: median / 95th percentile. A page that is busy receives late.",
      ),
      shown: ({ deliveryP50Ms, deliveryP95Ms }) => spread(deliveryP50Ms, deliveryP95Ms),
    },
    {
      stage: "transport",
      label: say("batches"),
      definition: say("Text messages received in the last 5 seconds; the worker sends at most one in 16 ms."),
      shown: ({ batches }) => count(batches),
    },
  ];

  /** @param {Batch} batch */
  received({ sentAt, receivedAt }) {
    this.#deliveryMs.add(receivedAt, receivedAt - sentAt);
  }

  /** @param {number} since */
  figures(since) {
    const values = this.#deliveryMs.values(since);
    const [deliveryP50Ms = null, deliveryP95Ms = null] = quantiles(values, 0.5, 0.95);
    return { batches: values.length, deliveryP50Ms, deliveryP95Ms };
  }

  samples() {
    return { deliveryMs: this.#deliveryMs.values() };
  }
}
