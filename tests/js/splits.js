/** @file Ways to cut a text: streaming code is tested over every split of its input. */

/**
 * @param {number} seed
 * @returns {() => number}  in [0, 1)
 */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/**
 * @param {string} text
 * @param {number} seed
 * @param {number} [most]
 * @returns {string[]}  pieces of 1 to `most` code units
 */
export function randomPieces(text, seed, most = 40) {
  const next = random(seed);
  const pieces = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + Math.floor(next() * most);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

export const TEXTS = [
  "Plain words, nothing else.",
  "你好世界 🌍",
  "👩‍💻 and 👨‍👩‍👧‍👦 over several tokens; café, cafe\u0301, ½ ∑",
  "\ufeffa leading byte order mark stays, \u0000 too",
  "שלום عالم नमस्ते",
  "a\n\n  b\tc\r\nd",
];
