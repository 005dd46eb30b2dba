/** @file Which lines begin a block of HTML, and what ends it. */

import { CLOSING_TAG, OPEN_TAG } from "./angle.js";

const RAW = /^<(?:script|pre|textarea|style)(?=[\s>]|$)/i;
const NAMES =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|" +
  "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|" +
  "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|" +
  "track|ul";
const BLOCK = new RegExp(`^</?(?:${NAMES})(?=\\s|/?>|$)`, "i");
const ANY = new RegExp(`^(?:${OPEN_TAG}|${CLOSING_TAG})`);
const NAME = /^<\/?[A-Za-z][A-Za-z0-9-]*/;

/** Begin → end, of those that need no name. */
const MARKED = /** @type {const} */ ([
  ["<!--", /-->/],
  ["<?", /\?>/],
  ["<![CDATA[", /\]\]>/],
]);

/**
 * What ends the block that the line begins, null: a blank line; "more" while that is not known;
 * undefined: it begins none.
 * @param {string} rest  of the line, from its `<`
 * @param {boolean} isWhole
 * @param {boolean} interrupts  a paragraph, which not every tag may
 * @returns {{ end: RegExp | null } | "more" | undefined}
 */
export function htmlBegin(rest, isWhole, interrupts) {
  for (const [begin, end] of MARKED) {
    if (rest.startsWith(begin)) return { end };
    if (!isWhole && begin.startsWith(rest)) return "more";
  }
  if (/^<![A-Za-z]/.test(rest)) return { end: />/ };
  const name = NAME.exec(rest);
  if (!name) return !isWhole && rest === "</" ? "more" : undefined;
  if (!isWhole && (name[0] === rest || `${name[0]}/` === rest)) return "more";
  if (RAW.test(rest)) return { end: /<\/(?:script|pre|textarea|style)>/i };
  if (BLOCK.test(rest)) return { end: null };
  if (interrupts || !/^(?:[\s>]|\/>?)/.test(rest.slice(name[0].length))) return undefined;
  const tag = ANY.exec(rest);
  if (tag && rest.slice(tag[0].length).trim() !== "") return undefined;
  if (!isWhole) return "more";
  return tag ? { end: null } : undefined;
}
