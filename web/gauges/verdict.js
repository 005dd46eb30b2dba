/** @file Which stage limits, judged from the figures alone, and how to say it. */

import { say } from "../words.js";
import { ms } from "./amounts.js";
import { missedShare } from "./meters/frames.js";

/** @import { Figures, Stage } from "./meter.js" */

/** What takes less seems to happen at once (Miller 1968, Nielsen 1993); the audit's budget for the lag, too. */
export const LATE_MS = 100;

/** Text is shown in fewer than half of the frames that could have shown it: that is seen. */
export const MISSED_SHARE = 0.5;

/** The 95th percentile of fewer is the worst one, which may be a single accident. */
export const ENOUGH_BATCHES = 20;

/** Fewer frames tell nothing of a share. */
export const ENOUGH_FRAMES = 10;

/** Tasks over 50 ms in so much of the time are enough to make the 95th percentile late. */
export const LONG_TASK_SHARE = 0.05;

/**
 * @typedef {object} Verdict
 * @property {"idle" | "model" | "page" | "transport" | "machine"} limit
 * @property {Stage | null} stage  where it is; null: nowhere on the way
 * @property {string} words
 */

/**
 * @param {Figures} figures
 * @param {boolean} isBusy  an answer is being made
 * @returns {Verdict}
 */
export function judge(figures, isBusy) {
  if (!isBusy) return { limit: "idle", stage: null, words: say("Nothing streams.") };
  if (!isLate(figures)) return model(figures);
  if (isPageBusy(figures)) return page(figures);
  if (isDeliveryLate(figures)) return transport(figures);
  return machine();
}

/** @param {Figures} figures */
function isLate({ batches, lagP50Ms, lagP95Ms, oldestUnpaintedMs, framesShown, framesMissed }) {
  const lagMs = batches < ENOUGH_BATCHES ? lagP50Ms : lagP95Ms;
  if ((lagMs ?? 0) > LATE_MS || oldestUnpaintedMs > LATE_MS) return true;
  return framesShown >= ENOUGH_FRAMES && missedShare({ framesShown, framesMissed }) > MISSED_SHARE;
}

/** Half of its frames leave no time, or tasks hold it. A thread that is kept from the processor looks the same. @param {Figures} figures */
const isPageBusy = ({ frameWorkP50Ms, refreshMs, longTaskShare, commitP95Ms }) =>
  (frameWorkP50Ms ?? 0) > refreshMs || (commitP95Ms ?? 0) > refreshMs || (longTaskShare ?? 0) > LONG_TASK_SHARE;

/** Most of a frame's work, or too much for a frame now and then. @param {Figures} figures */
const isCommitLong = ({ frameWorkP50Ms, refreshMs, commitP50Ms, commitP95Ms }) =>
  frameWorkP50Ms !== null && frameWorkP50Ms > refreshMs
    ? (commitP50Ms ?? 0) > frameWorkP50Ms / 2
    : (commitP95Ms ?? 0) > refreshMs;

/** @param {Figures} figures */
const isDeliveryLate = ({ deliveryP50Ms, deliveryP95Ms, lagP50Ms, lagP95Ms }) =>
  (deliveryP95Ms ?? 0) > (lagP95Ms ?? Infinity) / 2 && (deliveryP50Ms ?? 0) > (lagP50Ms ?? Infinity) / 2;

/**
 * @param {Figures} figures
 * @returns {Verdict}
 */
const model = ({ batches }) => ({
  limit: "model",
  stage: "model",
  words:
    batches > 0
      ? say("The model is the limit: its text is shown as it comes. Nothing to fix here.")
      : say("The model is the limit: no text comes from it. It loads, reads the prompt, or computes."),
});

/**
 * @param {Figures} figures
 * @returns {Verdict}
 */
function page(figures) {
  const { commitP95Ms, longestTaskIn } = figures;
  if (isCommitLong(figures)) {
    const words = say("The page is the limit: bringing the document up to the text takes {time}.", { time: ms(commitP95Ms) });
    return { limit: "page", stage: "dom", words };
  }
  const words = longestTaskIn
    ? say("The page is the limit: other work keeps it from its frames, most of all {script}.", { script: longestTaskIn })
    : say("The page is the limit: other work keeps it from its frames.");
  return { limit: "page", stage: "paint", words };
}

/**
 * @param {Figures} figures
 * @returns {Verdict}
 */
const transport = ({ deliveryP95Ms }) => ({
  limit: "transport",
  stage: "transport",
  words: say("The transport is the limit: messages take {time}, though the page has time for them.", { time: ms(deliveryP95Ms) }),
});

/** @returns {Verdict} */
const machine = () => ({
  limit: "machine",
  stage: null,
  words: say("The machine is the limit: frames come late, though the page has time for them. Something else has the processor."),
});

/** A judgement counts once it has come twice in a row: a single one may be an accident, and words that flicker are not read. */
export class Steady {
  /** @type {Verdict | null} */
  #held = null;
  #last = "";

  /**
   * @param {Verdict} verdict
   * @returns {Verdict}
   */
  hold(verdict) {
    const kind = `${verdict.limit} ${verdict.stage}`;
    const isAgain = kind === this.#last;
    this.#last = kind;
    if (isAgain || !this.#held || kind === `${this.#held.limit} ${this.#held.stage}`) this.#held = verdict;
    return this.#held;
  }
}
