/** @file What stands between two runs of backticks, or of dollars. */

/** @param {string} text */
export function codeText(text) {
  const line = text.replaceAll("\n", " ");
  const isPadded = line.length > 2 && line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "";
  return isPadded ? line.slice(1, -1) : line;
}

/**
 * `$5 and $10` are prices: maths touches its dollars, and no digit follows.
 * @param {string} text
 * @param {string} fence
 * @param {string} next
 */
export function isMath(text, fence, next) {
  if (text.trim() === "") return false;
  return fence === "$$" || (!/\s$/.test(text) && !/[0-9]/.test(next));
}
