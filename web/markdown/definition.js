/** @file `[label]: destination "title"`, which may begin a paragraph. */

import { LABEL_LENGTH, normalLabel } from "./label.js";
import { linkHref, unescapeText } from "./link.js";

const LABEL = /^\[((?:[^\\[\]]|\\[^])*)\]/;
const LABEL_BEGUN = /^\[(?:[^\\[\]]|\\[^])*\\?$/;
const GAP = /[ \t]*(?:\n[ \t]*)?/y;
const SPACES = /[ \t]*/y;
const ANGLED = /<((?:[^<>\n\\]|\\.)*)>/y;
const BARE = /[^\s\x00-\x1f\x7f]+/y;
const TITLES = { '"': /"((?:[^"\\]|\\[^])*)"/y, "'": /'((?:[^'\\]|\\[^])*)'/y, "(": /\(((?:[^()\\]|\\[^])*)\)/y };

/** @typedef {{ length: number, key: string, href: string, title: string | null }} Definition */

/**
 * The definition that the text begins with.
 * @param {string} text
 * @param {boolean} ends  nothing follows it
 * @returns {Definition | "more" | null}
 */
export function readDefinition(text, ends) {
  const label = LABEL.exec(text);
  const more = ends ? null : "more";
  if (!label) return LABEL_BEGUN.test(text) && text.length <= LABEL_LENGTH + 2 ? more : null;
  const name = /** @type {string} */ (label[1]);
  if (!/\S/.test(name) || name.length > LABEL_LENGTH || name.startsWith("^")) return null;
  if (label[0].length === text.length) return more;
  if (text.charAt(label[0].length) !== ":") return null;
  const begin = skip(GAP, text, label[0].length + 1);
  if (begin === text.length) return more;
  const destination = readDestination(text, begin, ends);
  if (destination === null || destination === "more") return destination;
  const rest = readTitle(text, destination.end, ends);
  if (rest === null || rest === "more") return rest;
  const href = linkHref(unescapeText(destination.text));
  const title = rest.title === null ? null : unescapeText(rest.title);
  return { length: rest.end, key: normalLabel(name), href, title };
}

/**
 * @param {string} text
 * @param {number} at
 * @param {boolean} ends
 * @returns {{ text: string, end: number } | "more" | null}
 */
function readDestination(text, at, ends) {
  if (text.charAt(at) === "<") {
    ANGLED.lastIndex = at;
    const angled = ANGLED.exec(text);
    if (angled) return { text: /** @type {string} */ (angled[1]), end: at + angled[0].length };
    return ends || /[\n<]/.test(text.slice(at + 1)) ? null : "more";
  }
  BARE.lastIndex = at;
  const bare = BARE.exec(text)?.[0];
  if (!bare) return null;
  const end = at + bare.length;
  if (end === text.length && !ends) return "more";
  return isBalanced(bare) ? { text: bare, end } : null;
}

/**
 * The title, if there is one, and the end of the line.
 * @param {string} text
 * @param {number} from
 * @param {boolean} ends
 * @returns {{ title: string | null, end: number } | "more" | null}
 */
function readTitle(text, from, ends) {
  const lineEnd = skip(SPACES, text, from);
  if (lineEnd === text.length) return ends ? { title: null, end: lineEnd } : "more";
  const isNextLine = text.charAt(lineEnd) === "\n";
  // A title that is none on a line of its own leaves a definition without it.
  const without = isNextLine ? { title: null, end: lineEnd + 1 } : null;
  if (!isNextLine && lineEnd === from) return null;
  const at = isNextLine ? skip(SPACES, text, lineEnd + 1) : lineEnd;
  if (at === text.length) return ends ? without : "more";
  const form = TITLES[/** @type {keyof typeof TITLES} */ (text.charAt(at))];
  if (!form) return without;
  form.lastIndex = at;
  const title = form.exec(text);
  if (!title) {
    const isDead = text.charAt(at) === "(" && /[^\\]\(/.test(text.slice(at));
    return ends || isDead ? without : "more";
  }
  const end = skip(SPACES, text, at + title[0].length);
  if (end < text.length) return text.charAt(end) === "\n" ? { title: /** @type {string} */ (title[1]), end: end + 1 } : without;
  return ends ? { title: /** @type {string} */ (title[1]), end } : "more";
}

/**
 * @param {RegExp} sticky  may match nothing
 * @param {string} text
 * @param {number} at
 */
function skip(sticky, text, at) {
  sticky.lastIndex = at;
  return at + (sticky.exec(text)?.[0].length ?? 0);
}

/** @param {string} text */
function isBalanced(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "(") depth += 1;
    else if (char === ")" && (depth -= 1) < 0) return false;
  }
  return depth === 0;
}
