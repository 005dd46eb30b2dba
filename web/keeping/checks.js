/** @file Whether a value that was read is what it should be; else a KeepingError with its path. */

import { importInvalid, KeepingError } from "./errors.js";

const LONGEST_ID = 200;
/** What a Date can be. */
const LATEST_MS = 8.64e15;

/** @typedef {{ [name: string]: unknown }} Fields */

/**
 * @param {unknown} value
 * @param {string} path
 */
export function object(value, path) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw at(path, "is not an object");
  return /** @type {Fields} */ (value);
}

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {unknown[]}
 */
export function array(value, path) {
  if (!Array.isArray(value)) throw at(path, "is not an array");
  return value;
}

/**
 * @param {unknown} value
 * @param {string} path
 * @param {number} [longest]
 */
export function string(value, path, longest = Infinity) {
  if (typeof value !== "string") throw at(path, "is not a string");
  if (value.length > longest) throw at(path, `is longer than ${longest} characters`);
  return value;
}

/**
 * @param {unknown} value
 * @param {string} path
 */
export function identifier(value, path) {
  const id = string(value, path, LONGEST_ID);
  if (id === "") throw at(path, "is empty");
  return id;
}

/**
 * @param {unknown} value
 * @param {string} path
 */
export function time(value, path) {
  if (typeof value !== "number" || !(value >= 0 && value <= LATEST_MS)) throw at(path, "is not a time in ms");
  return value;
}

/**
 * @template {string} T
 * @param {unknown} value
 * @param {readonly T[]} values
 * @param {string} path
 */
export function oneOf(value, values, path) {
  const found = values.find((each) => each === value);
  if (found === undefined) throw at(path, `is none of ${values.join(", ")}`);
  return found;
}

/**
 * @param {unknown} value
 * @param {string} path
 */
export function number(value, path) {
  if (typeof value !== "number" || !(value >= 0 && value < Infinity)) throw at(path, "is not a number");
  return value;
}

/**
 * @param {string[]} ids
 * @param {(i: number) => string} path
 */
export function unique(ids, path) {
  /** @type {Set<string>} */
  const seen = new Set();
  ids.forEach((id, i) => {
    if (seen.has(id)) throw twice(path(i));
    seen.add(id);
  });
}

/** @param {string} path */
export const twice = (path) => at(path, "is there twice");

/**
 * @param {string} path
 * @param {string} why
 */
export const at = (path, why) => invalid(`the file cannot be imported: ${path} ${why}`);

/**
 * @param {string} why
 * @param {string} [hint]
 */
export const invalid = (why, hint) => new KeepingError(importInvalid(why, hint));
