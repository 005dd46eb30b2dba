/** @file The labels of references. */

/** Characters a label may have at most. */
export const LABEL_LENGTH = 999;

/** Two labels are the same if these are: case folded, runs of spaces as one. @param {string} label */
export function normalLabel(label) {
  return label.trim().replace(/[ \t\n]+/g, " ").toLowerCase().toUpperCase();
}

/** @param {string} label */
export function isLabel(label) {
  return label.length <= LABEL_LENGTH && /\S/.test(label) && !/(?:^|[^\\])(?:\\\\)*[[\]]/.test(label);
}

/**
 * The place of the `]` that ends the label that begins at `from`.
 * @param {string} text
 * @param {number} from
 * @returns {number | "more" | "none"}
 */
export function labelEnd(text, from) {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "]") return at;
    if (char === "[" || at - from > LABEL_LENGTH) return "none";
  }
  return "more";
}
