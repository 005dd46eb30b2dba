/** @file The frames that text waited for, and those that went by without it. */

import { say } from "../../words.js";
import { ms, percent } from "../amounts.js";
import { median, Recent, sum } from "../recent.js";
import { Refresh } from "../refresh.js";

/** @import { Batch, Cell, Figures, Meter, Painting } from "../meter.js" */

/**
 * Refresh slots that went by while text waited. Text comes at any moment of a
 * slot and is shown with the next, so up to one and a half are no miss.
 *
 * Counted at the frames the page makes anyway: a loop of our own that asked for
 * every frame would make the frames it counts.
 * @param {number} waitedMs
 * @param {number} refreshMs
 */
export const slotsMissed = (waitedMs, refreshMs) => Math.max(0, Math.floor(waitedMs / refreshMs - 0.5));

/** @implements {Meter} */
export class Frames {
  #refresh = new Refresh();
  #missed = new Recent();
  #workMs = new Recent();

  /** @type {Cell[]} */
  cells = [
    {
      stage: "paint",
      label: say("missed"),
      definition: say(
        "Frames that went by while text waited, as a share of those and the frames that showed text, in the last 5 seconds. Measured in slots of the screen's refresh rate.",
      ),
      shown: ({ framesShown, framesMissed }) => percent(missedShare({ framesShown, framesMissed })),
    },
    {
      stage: null,
      label: say("refresh"),
      definition: say("Time between two frames of the screen, measured while the page has nothing to do; ≈: not measured, 60 Hz assumed."),
      shown: ({ refreshMs, isRefreshMeasured }) => (isRefreshMeasured ? "" : "≈ ") + ms(refreshMs),
    },
  ];

  start() {
    this.#refresh.start();
  }

  stop() {
    this.#refresh.stop();
  }

  /**
   * @param {Batch} batch  the oldest that its frame shows
   * @param {Painting} painting
   */
  painted({ sentAt }, { frame, paintedAt }) {
    if (!frame) return;
    this.#missed.add(paintedAt, slotsMissed(frame.committedAt - sentAt, this.#refresh.ms));
    this.#workMs.add(paintedAt, paintedAt - frame.beganAt);
  }

  /** @param {number} since */
  figures(since) {
    const missed = this.#missed.values(since);
    return {
      framesShown: missed.length,
      framesMissed: sum(missed),
      frameWorkP50Ms: median(this.#workMs.values(since)),
      refreshMs: this.#refresh.ms,
      isRefreshMeasured: this.#refresh.isMeasured,
    };
  }

  samples() {
    return { missedSlots: this.#missed.values(), frameWorkMs: this.#workMs.values() };
  }
}

/** @param {Pick<Figures, "framesShown" | "framesMissed">} figures  0 to 1 */
export const missedShare = ({ framesShown, framesMissed }) => framesMissed / Math.max(1, framesShown + framesMissed);
