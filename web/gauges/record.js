/** @file What is saved: the figures, what they were made of, and what they mean. */

/** @import { Flow } from "./flow.js" */
/** @import { Figures, Meter } from "./meter.js" */
/** @import { Verdict } from "./verdict.js" */

/**
 * @typedef {object} Saved
 * @property {"pageside-gauges"} format
 * @property {1} version
 * @property {string} savedAt   ISO 8601
 * @property {number} openMs    how long the gauges were open
 * @property {string} userAgent
 * @property {number} hardwareThreads
 * @property {Verdict} verdict
 * @property {Figures} figures
 * @property {Flow["counts"]} counts              since the gauges were opened
 * @property {Record<string, number[]>} samples   the last values of each, oldest first
 * @property {{ label: string, definition: string }[]} definitions  as the panel shows them, in the visitor's language
 */

/**
 * @param {object} now
 * @param {number} now.openMs
 * @param {Verdict} now.verdict
 * @param {Figures} now.figures
 * @param {Flow["counts"]} counts
 * @param {Meter[]} meters
 * @returns {Saved}
 */
export function record({ openMs, verdict, figures }, counts, meters) {
  return {
    format: "pageside-gauges",
    version: 1,
    savedAt: new Date().toISOString(),
    openMs,
    userAgent: navigator.userAgent,
    hardwareThreads: navigator.hardwareConcurrency,
    verdict,
    figures,
    counts,
    samples: Object.fromEntries(meters.flatMap(samplesOf)),
    definitions: meters.flatMap(({ cells }) => cells.map(({ label, definition }) => ({ label, definition }))),
  };
}

/**
 * Microseconds are all that a clock of the browser tells.
 * @param {Meter} meter
 * @returns {[string, number[]][]}
 */
const samplesOf = (meter) =>
  Object.entries(meter.samples?.() ?? {}).map(([name, values]) => [name, Array.from(values, (ms) => Math.round(ms * 1000) / 1000)]);

/** @param {Saved} saved */
export const asFile = (saved) => new Blob([JSON.stringify(saved, null, 2)], { type: "application/json" });

/** A colon is no part of a file's name everywhere. @param {Saved} saved */
export const fileName = ({ savedAt }) => `pageside-gauges-${savedAt.slice(0, 19).replaceAll(":", "-")}.json`;
