/** @file The labels of references. */

/** Two labels are the same if these are: case folded, runs of spaces as one. @param {string} label */
export function normalLabel(label) {
  return label.trim().replace(/[ \t\n]+/g, " ").toLowerCase().toUpperCase();
}
