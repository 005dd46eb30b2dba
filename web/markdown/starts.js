/** @file What a line may begin: a function each. `UNKNOWN` while more of the line has to come. */

import { Block, CodeBlock, HeadingBlock, HtmlBlock, ItemBlock, ListBlock, NoteBlock } from "./blocks.js";
import { htmlBegin } from "./html.js";
import { unescapeText } from "./link.js";
import { cellCount, MOST_COLUMNS } from "./table.js";

/** @import { Changes, ParagraphBlock } from "./blocks.js" */
/** @import { Cursor } from "./cursor.js" */
/** @import { Align } from "./table.js" */

export const CODE_INDENT = 4;
const HEADING = /^#{1,6}(?=[ \t]|$)/;
const FENCE = /^(?:`{3,}|~{3,})/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;
const RULE_BEGUN = /^([*_-])[ \t]*(?:\1[ \t]*)*$/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const BULLET = /^[*+-]/;
const NUMBER = /^(\d{1,9})([.)])/;
const NUMBER_BEGUN = /^\d{1,9}$/;
const NOTE = /^\[\^([^\][\s]+)\]:/;
const NOTE_BEGUN = /^\[(?:\^(?:[^\][\s]+\]?)?)?$/;
const DELIMITERS = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const DELIMITERS_BEGUN = /^[|:\- \t]+$/;

/** The line's meaning is not known yet. */
export const UNKNOWN = Symbol("unknown");

/**
 * The blocks that begin, outermost first. With `text` or `act` the line is dealt with; with `level` the
 * paragraph before it is a heading, with `aligns` its last line is a table's head. null: nothing begins.
 * @typedef {{ blocks: Block[], text?: string, act?: () => void, level?: number, aligns?: Align[] } | null
 *   | typeof UNKNOWN} Start
 */

/** @param {Cursor} cursor */
export function takeQuote(cursor) {
  if (cursor.char !== ">") return false;
  cursor.skipSpaces();
  cursor.skip(1);
  cursor.skipColumns(1);
  return true;
}

/**
 * @param {Cursor} cursor
 * @param {Changes} changes
 * @returns {Start}
 */
export function heading(cursor, changes) {
  const { rest } = cursor;
  if (!cursor.isWhole && /^#{1,6}$/.test(rest)) return UNKNOWN;
  const marker = HEADING.exec(rest)?.[0];
  if (!marker) return null;
  return { blocks: [new HeadingBlock(changes, marker.length)], text: rest.slice(marker.length) };
}

/**
 * @param {Cursor} cursor
 * @param {Changes} changes
 * @returns {Start}
 */
export function fence(cursor, changes) {
  const { rest, indent } = cursor;
  const marker = FENCE.exec(rest)?.[0];
  if (!marker) return !cursor.isWhole && /^(?:`+|~+)$/.test(rest) ? UNKNOWN : null;
  const info = rest.slice(marker.length);
  if (marker.startsWith("`") && info.includes("`")) return null;
  if (!cursor.isWhole) return UNKNOWN;
  const opened = { char: marker.charAt(0), length: marker.length, indent, info: unescapeText(info.trim()) };
  const block = new CodeBlock(changes, opened);
  return { blocks: [block], act: () => changes.add(block) };
}

/**
 * @param {Cursor} cursor
 * @param {boolean} interrupts  a paragraph
 * @param {Changes} changes
 * @returns {Start}
 */
export function html(cursor, interrupts, changes) {
  const begin = htmlBegin(cursor.rest, cursor.isWhole, interrupts);
  if (begin === "more") return UNKNOWN;
  return begin ? { blocks: [new HtmlBlock(changes, begin.end)], text: cursor.remaining } : null;
}

/** @param {Cursor} cursor @returns {Start} */
export function note(cursor) {
  const { rest } = cursor;
  if (!cursor.isWhole && NOTE_BEGUN.test(rest)) return UNKNOWN;
  const found = NOTE.exec(rest);
  if (!found) return null;
  cursor.skipSpaces();
  cursor.skip(found[0].length);
  cursor.skipSpaces(); // however many there are, they begin no code
  const block = new NoteBlock(/** @type {string} */ (found[1]));
  return { blocks: [block] };
}

/**
 * @param {Cursor} cursor
 * @param {ParagraphBlock | null} paragraph
 * @returns {Start}
 */
export function underlined(cursor, paragraph) {
  const { rest } = cursor;
  if (!paragraph || !UNDERLINE.test(rest) || !paragraph.hasText) return null;
  if (!cursor.isWhole) return UNKNOWN;
  return { blocks: [], level: rest.startsWith("=") ? 1 : 2 };
}

/**
 * @param {Cursor} cursor
 * @param {Changes} changes
 * @returns {Start}
 */
export function rule(cursor, changes) {
  const { rest } = cursor;
  if (!cursor.isWhole) return RULE_BEGUN.test(rest) ? UNKNOWN : null;
  if (!RULE.test(rest)) return null;
  const block = new Block("rule");
  return { blocks: [block], act: () => changes.add(block) };
}

/**
 * @param {Cursor} cursor
 * @param {Block} container
 * @param {ParagraphBlock | null} paragraph
 * @param {number} line  its number
 * @returns {Start}
 */
export function item(cursor, container, paragraph, line) {
  const { rest } = cursor;
  if (!cursor.isWhole && NUMBER_BEGUN.test(rest)) return UNKNOWN;
  const number = NUMBER.exec(rest);
  const marker = number ?? BULLET.exec(rest);
  if (!marker) return null;
  const after = rest.slice(marker[0].length);
  if (after === "" && !cursor.isWhole) return UNKNOWN;
  if (!/^(?:[ \t]|$)/.test(after)) return null;
  if (after.trim() === "" && !cursor.isWhole) return UNKNOWN;
  if (paragraph && (after.trim() === "" || (number && Number(number[1]) !== 1))) return null;
  const columns = cursor.indent + takeMarker(cursor, marker[0].length);
  const kind = number ? /** @type {string} */ (number[2]) : marker[0];
  const block = new ItemBlock(columns, line);
  if (container instanceof ListBlock && container.marker === kind) return { blocks: [block] };
  return { blocks: [new ListBlock(kind, number ? Number(number[1]) : null), block] };
}

/**
 * The columns from the marker to the content.
 * @param {Cursor} cursor
 * @param {number} length  of the marker
 */
function takeMarker(cursor, length) {
  cursor.skipSpaces();
  cursor.skip(length);
  const spaces = cursor.indent;
  // Five spaces or more are one, and code.
  const isOne = cursor.isBlank || spaces > CODE_INDENT;
  cursor.skipColumns(isOne ? 1 : spaces);
  return length + (isOne ? 1 : spaces);
}

/**
 * @param {Cursor} cursor
 * @param {ParagraphBlock | null} paragraph
 * @returns {Start}
 */
export function table(cursor, paragraph) {
  const { rest } = cursor;
  if (!paragraph || !DELIMITERS_BEGUN.test(rest)) return null;
  if (!cursor.isWhole) return UNKNOWN;
  if (!DELIMITERS.test(rest)) return null;
  const cells = rest.trim().replace(/^\|/, "").replace(/\|$/, "").split("|");
  if (cells.length > MOST_COLUMNS) return null;
  if (cellCount(paragraph.lines.slice(paragraph.lastLine)) !== cells.length) return null;
  return { blocks: [], aligns: cells.map(alignOf) };
}

/** @param {string} cell @returns {Align} */
function alignOf(cell) {
  const text = cell.trim();
  const [left, right] = [text.startsWith(":"), text.endsWith(":")];
  return left && right ? "center" : left ? "left" : right ? "right" : null;
}
