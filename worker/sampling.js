/** @file What may be asked of sampling: each setting's range, refused by name and never mended in silence. */

import { EngineError } from "./errors.js";

/** @import { Sampling } from "./protocol.js" */

export const SEED_MAX = 2 ** 32 - 1;

/** Each is looked for in every character of the answer. */
export const STOP_STRINGS_MAX = 16;

/** Code units. So much text may be held back unseen. */
export const STOP_LENGTH_MAX = 256;

/** @typedef {{ holds: (value: unknown) => boolean, range: string }} Rule */

/** @type {Record<keyof Sampling, Rule>} */
const RULES = {
  maxTokens: { holds: (value) => value === null || isWhole(value, 1, Infinity), range: "1 or more, or null" },
  repetitionPenalty: { holds: (value) => isNumber(value) && value > 0, range: "a number above 0; 1 is off" },
  temperature: { holds: (value) => isNumber(value) && value >= 0, range: "0 or more; 0 is greedy" },
  topK: { holds: (value) => isWhole(value, 0, Infinity), range: "a whole number; 0 is off" },
  topP: { holds: (value) => isNumber(value) && value > 0 && value <= 1, range: "more than 0, up to 1; 1 is off" },
  seed: { holds: (value) => value === null || isWhole(value, 0, SEED_MAX), range: `0 to ${SEED_MAX}, or null` },
  stop: {
    holds: (value) => Array.isArray(value) && value.length <= STOP_STRINGS_MAX && value.every(isStopString),
    range: `a list of up to ${STOP_STRINGS_MAX} texts, each of 1 to ${STOP_LENGTH_MAX} characters`,
  },
};

/**
 * @param {Sampling} sampling
 * @throws {EngineError} for the first setting that cannot be meant
 */
export function checkSampling(sampling) {
  for (const [name, { holds, range }] of Object.entries(RULES)) {
    const value = sampling[/** @type {keyof Sampling} */ (name)];
    if (!holds(value)) throw new EngineError("sampling_invalid", `${name} is ${shown(value)}`, `Use ${range}.`);
  }
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/**
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 */
const isWhole = (value, least, most) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most;

/** Half a surrogate pair would be found inside other characters. @param {unknown} value */
const isStopString = (value) =>
  typeof value === "string" && value !== "" && value.length <= STOP_LENGTH_MAX && value.isWellFormed();

/** @param {unknown} value  JSON has no NaN */
const shown = (value) => (typeof value === "number" ? String(value) : JSON.stringify(value)?.slice(0, 80));
