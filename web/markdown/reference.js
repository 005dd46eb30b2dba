/** @file What `[text][label]`, `[label][]`, `[label]` and `[^note]` name. */

import { isLabel, labelEnd, normalLabel } from "./label.js";

/** @import { Reference } from "./nodes.js" */
/** @import { Target } from "./references.js" */

/**
 * `length` from the first `]` on. `canWait`: until the label is defined, nothing in it means anything else.
 * @typedef {{ key: string, length: number, canWait: boolean }} Named
 */

/** Text in which nothing has a meaning of its own. */
const PLAIN = /^[^\\`*_~[\]!<>&:@$\s]+(?: [^\\`*_~[\]!<>&:@$\s]+)*$/;

/**
 * @param {string | null} inside  the brackets; null: longer than a label may be
 * @param {string} text
 * @param {number} at  where in it the `]` is
 * @param {boolean} isWhole  nothing comes after the text
 * @returns {Named | "more" | null}  null: it names nothing, whatever is defined
 */
export function namedBy(inside, text, at, isWhole) {
  const own = inside !== null && isLabel(inside) ? inside : null;
  if (own?.startsWith("^")) return { key: `^${normalLabel(own.slice(1))}`, length: 1, canWait: true };
  const shortcut = own === null ? null : { key: normalLabel(own), length: 1, canWait: true };
  if (text.charAt(at + 1) !== "[") return shortcut;
  const end = labelEnd(text, at + 2);
  if (end === "more") return isWhole ? shortcut : "more";
  if (end === "none") return shortcut;
  const label = text.slice(at + 2, end);
  const name = label || own;
  if (name === null || name.startsWith("^")) return null; // a note behind it
  if (!isLabel(name)) return shortcut;
  const length = end + 1 - at;
  const next = text.charAt(at + length);
  if (next === "" && !isWhole) return "more";
  // The brackets of a label that is not defined may begin something else.
  const canWait = next !== "(" && next !== "[" && (label === "" || PLAIN.test(label));
  return { key: normalLabel(name), length, canWait };
}

/**
 * What a reference is once it is defined.
 * @param {Reference} reference
 * @param {Target} target
 */
export function referred({ label, isImage, children, depth }, target) {
  if ("number" in target) return { type: /** @type {const} */ ("note"), label, number: target.number };
  return { type: isImage ? /** @type {const} */ ("image") : /** @type {const} */ ("link"), ...target, children, depth };
}
