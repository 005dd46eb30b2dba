/** @file What has come and is not shown yet. */

import { MAX_UNPAINTED, wallClock } from "../../../worker/protocol.js";
import { say } from "../../words.js";
import { Recent } from "../recent.js";

/** @import { Batch, Cell, Commit, Meter } from "../meter.js" */

/** @implements {Meter} */
export class Waiting {
  #length = 0;
  /** In their order, at most MAX_UNPAINTED. @type {Batch[]} */
  #unpainted = [];
  #lengths = new Recent();
  #counts = new Recent();

  /** @type {Cell[]} */
  cells = [
    {
      stage: "waiting",
      label: say("text"),
      definition: say("Characters that were received and are not in the document: now / the most in the last 5 seconds."),
      shown: ({ waitingLength, mostWaitingLength }) => `${waitingLength} / ${mostWaitingLength}`,
    },
    {
      stage: "waiting",
      label: say("unpainted"),
      definition: say(
        "Batches that were received and are not on the screen: now / the most in the last 5 seconds. The worker sends no more while there are two; text then waits with it.",
      ),
      shown: ({ unpaintedBatches, mostUnpaintedBatches }) => `${unpaintedBatches} / ${mostUnpaintedBatches}`,
    },
  ];

  /** @param {Batch} batch */
  received(batch) {
    if (this.#unpainted[0]?.id !== batch.id) this.#unpainted = [];
    this.#unpainted.push(batch);
    if (this.#unpainted.length > MAX_UNPAINTED) this.#unpainted.shift();
    this.#length += batch.length;
    this.#lengths.add(batch.receivedAt, this.#length);
    this.#counts.add(batch.receivedAt, this.#unpainted.length);
  }

  /** The last text of an answer comes with no batch, and what came before the gauges was not seen. @param {Commit} commit */
  committed({ length }) {
    this.#length = Math.max(0, this.#length - length);
  }

  /** @param {Batch} painted */
  painted({ id, batch }) {
    this.#unpainted = this.#unpainted.filter((waiting) => waiting.id !== id || waiting.batch > batch);
  }

  /** An answer whose worker was lost is not acknowledged. */
  rest() {
    this.#length = 0;
    this.#unpainted = [];
  }

  /** @param {number} since */
  figures(since) {
    const oldest = this.#unpainted[0];
    return {
      waitingLength: this.#length,
      mostWaitingLength: Math.max(0, ...this.#lengths.values(since)),
      unpaintedBatches: this.#unpainted.length,
      mostUnpaintedBatches: Math.max(0, ...this.#counts.values(since)),
      oldestUnpaintedMs: oldest ? wallClock() - oldest.sentAt : 0,
    };
  }
}
