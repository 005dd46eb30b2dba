/** @file Kinds of characters, by Unicode. */

const WHITESPACE = /^[\s\p{Zs}]$/u;
const PUNCTUATION = /^[\p{P}\p{S}]$/u;
const ALPHANUMERIC = /^[\p{L}\p{N}]$/u;
// Scripts written without spaces between words, and the punctuation that goes with them.
const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]$/u;

/** @param {string} character */
export const isWhitespace = (character) => WHITESPACE.test(character);
/** @param {string} character */
export const isPunctuation = (character) => PUNCTUATION.test(character);
/** @param {string} character */
export const isAlphanumeric = (character) => ALPHANUMERIC.test(character);
/** @param {string} character */
export const isCjk = (character) => character > "\u10ff" && CJK.test(character);
