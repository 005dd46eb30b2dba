/** @file Runs of `*`, `_` and `~`: which may open, which may close, and which fit each other. */

import { isAlphanumeric, isCjk, isPunctuation, isWhitespace } from "./characters.js";

/**
 * @param {string} run
 * @param {string} before  ends with the character before it
 * @param {string} after  begins with the character after it
 */
export function flanks(run, before, after) {
  const previous = lastCharacter(before);
  const next = String.fromCodePoint(/** @type {number} */ (after.codePointAt(0)));
  const [spaceBefore, spaceAfter] = [isWhitespace(previous), isWhitespace(next)];
  // Beside CJK there are no spaces between words, so its punctuation counts as letters do.
  const [cjkBefore, cjkAfter] = [isCjk(previous), isCjk(next)];
  const pointBefore = !cjkBefore && isPunctuation(previous);
  const pointAfter = !cjkAfter && isPunctuation(next);
  const left = !spaceAfter && (!pointAfter || spaceBefore || pointBefore || cjkBefore);
  const right = !spaceBefore && (!pointBefore || spaceAfter || pointAfter || cjkAfter);
  if (run.startsWith("_")) {
    return { canOpen: left && (!right || pointBefore), canClose: right && (!left || pointAfter) };
  }
  if (run === "~") {
    return { canOpen: left && !isAlphanumeric(previous), canClose: right && !isAlphanumeric(next) };
  }
  return { canOpen: left, canClose: right };
}

/**
 * "If one of the delimiters can both open and close, the sum of the lengths must not be a multiple
 * of 3 unless both are": `*foo**bar*`.
 * @param {{ char: string, count: number, length: number, canClose: boolean }} opener
 * @param {number} length
 * @param {boolean} canOpen
 */
export function fits(opener, length, canOpen) {
  if (opener.char === "~") return opener.count === length;
  if (!opener.canClose && !canOpen) return true;
  return (opener.length + length) % 3 !== 0 || length % 3 === 0;
}

/** @param {string} text */
function lastCharacter(text) {
  const last = text.slice(-2);
  return last.length === 2 && /** @type {number} */ (last.codePointAt(0)) > 0xffff ? last : last.slice(-1);
}
