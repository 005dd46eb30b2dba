/** @file How many tokens a text has, counted in slices: a long one holds up neither Stop nor the answer. */

import { macrotask } from "../turn.js";

/** @import { TokenCount } from "../protocol.js" */

/** Code units tokenised in one go: a few milliseconds. */
const SLICE = 2048;

/** How far before a slice's end a word's end is looked for. */
const SEARCH = 256;

/**
 * Exact where slices can end before a space, since byte-level BPE never joins
 * a space to the word before it. A text without spaces may count a token more
 * per slice.
 * @param {string} text
 * @param {number} most  beyond so many it is not counted on
 * @param {(slice: string) => number} tokensOf
 * @returns {Promise<TokenCount>}
 */
export async function countTokens(text, most, tokensOf) {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    if (tokens > most) return { tokens, isAtLeast: true };
    const end = seam(text, at + SLICE);
    tokens += tokensOf(text.slice(at, end));
    at = end;
    if (at < text.length) await macrotask();
  }
  return { tokens, isAtLeast: false };
}

/**
 * @param {string} text
 * @param {number} near
 * @returns {number}  where to cut, at or shortly before `near`
 */
function seam(text, near) {
  if (near >= text.length) return text.length;
  for (let at = near; at > near - SEARCH; at--) {
    if (text[at] === " " && /\S/.test(text[at - 1] ?? "")) return at;
  }
  const isInsideCharacter = /[\udc00-\udfff]/.test(text[near] ?? "");
  return isInsideCharacter ? near - 1 : near;
}
