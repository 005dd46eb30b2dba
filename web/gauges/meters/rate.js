/** @file How fast the model decodes. */

import { say } from "../../words.js";
import { ms, number } from "../amounts.js";
import { median, Recent, sum } from "../recent.js";

/** @import { Batch, Cell, Meter } from "../meter.js" */

/** @implements {Meter} */
export class Rate {
  /** Between two batches of one answer. */
  #gapsMs = new Recent();
  #tokens = new Recent();
  #stepsMs = new Recent();
  /** @type {Batch | null} */
  #last = null;

  /** @type {Cell[]} */
  cells = [
    {
      stage: "model",
      label: say("tokens/s"),
      definition: say(
        "Tokens of the batches ÷ the time between the moments the worker sent them, in the last 5 seconds: the model's own pace, whatever the page does.",
      ),
      shown: ({ tokensPerS }) => number(tokensPerS),
    },
    {
      stage: "model",
      label: say("step"),
      definition: say("Median time of a token: between two batches as the worker sent them ÷ the tokens of the second."),
      shown: ({ stepMs }) => ms(stepMs),
    },
  ];

  /** @param {Batch} batch */
  received(batch) {
    const { id, tokens, sentAt } = batch;
    if (this.#last?.id === id) {
      const gapMs = sentAt - this.#last.sentAt;
      this.#gapsMs.add(sentAt, gapMs);
      this.#tokens.add(sentAt, tokens);
      this.#stepsMs.add(sentAt, gapMs / tokens);
    }
    this.#last = batch;
  }

  /** @param {number} since */
  figures(since) {
    const totalMs = sum(this.#gapsMs.values(since));
    return {
      tokensPerS: totalMs > 0 ? sum(this.#tokens.values(since)) / (totalMs / 1000) : null,
      stepMs: median(this.#stepsMs.values(since)),
    };
  }

  samples() {
    return { stepMs: this.#stepsMs.values() };
  }
}
