/** @file What `[text][label]`, `[label][]`, `[label]` and `[^note]` name. */

import { isLabel, labelEnd, normalLabel } from "./label.js";

/** @import { Reference } from "./nodes.js" */
/** @import { Target } from "./references.js" */

/**
 * `length` from the first `]` on. `canWait`: whether it is defined or not decides nothing but how it is
 * shown itself.
 * @typedef {{ key: string, length: number, text: string, canWait: boolean }} Named
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
  if (own?.startsWith("^")) return named({ label: own, text: own.slice(1), length: 1, isNote: true });
  const shortcut = own === null ? null : named({ label: own, text: own, length: 1 });
  if (text.charAt(at + 1) !== "[") return shortcut;
  const end = labelEnd(text, at + 2);
  if (end === "more") return isWhole ? shortcut : "more";
  if (end === "none") return shortcut;
  const label = text.slice(at + 2, end) || own;
  if (label === null || label.startsWith("^")) return null; // a note behind it
  if (!isLabel(label)) return shortcut;
  const length = end + 1 - at;
  const next = text.charAt(at + length);
  if (next === "" && !isWhole) return "more";
  // While the label is not defined, its brackets may begin something else.
  return named({ label, text: inside, length, isAlone: next !== "(" && next !== "[" });
}

/**
 * @param {{ label: string, text: string | null, length: number, isNote?: boolean, isAlone?: boolean }} found
 * @returns {Named}
 */
function named({ label, text, length, isNote = false, isAlone = true }) {
  const key = isNote ? `^${normalLabel(label.slice(1))}` : normalLabel(label);
  const canWait = isAlone && text !== null && PLAIN.test(text) && PLAIN.test(label);
  return { key, length, text: text ?? "", canWait };
}

/**
 * What a reference is once it is defined.
 * @param {Reference} reference
 * @param {Target} target
 */
export function referred({ text, isImage }, target) {
  if ("number" in target) return { type: /** @type {const} */ ("note"), label: text, number: target.number };
  const children = [{ type: /** @type {const} */ ("text"), text }];
  return { type: isImage ? /** @type {const} */ ("image") : /** @type {const} */ ("link"), ...target, children, depth: 1 };
}
