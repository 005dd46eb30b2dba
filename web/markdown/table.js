/** @file Tables: a row is a line, and a cell takes its text as it comes. */

import { ContainerBlock, TextBlock } from "./blocks.js";

/** @import { Changes } from "./blocks.js" */

/** @typedef {"left" | "center" | "right" | null} Align */

/** More columns make no table: the browser lays one out as a whole, 20,000 in a second. */
export const MOST_COLUMNS = 500;
/**
 * Cells that a table's rows have without saying anything in them, as in cmark-gfm. Without a bound a wide head,
 * and a bar a line below it, are more cells than a browser holds. Beyond, rows are as short as they are written.
 */
const MOST_EMPTY = 10_000;

export class TableBlock extends ContainerBlock {
  /** Cells that may yet stay empty. */
  #room = MOST_EMPTY;

  /**
   * @param {Changes} changes
   * @param {Align[]} aligns
   */
  constructor(changes, aligns) {
    super("table");
    this.changes = changes;
    this.aligns = aligns;
  }

  beginRow() {
    const last = /** @type {RowBlock | undefined} */ (this.last);
    this.#room -= last?.emptyCount ?? 0;
    const row = new RowBlock(this.changes, this.aligns, last === undefined, this.#room >= this.aligns.length);
    this.append(row);
    this.changes.add(this);
    return row;
  }
}

export class RowBlock extends ContainerBlock {
  /** The cell that is written into; null between cells. @type {TextBlock | null} */
  #cell = null;
  #count = 0;
  #saidCount = 0;
  #begun = false;
  #escaped = false;

  /**
   * @param {Changes} changes
   * @param {Align[]} aligns
   * @param {boolean} isHead
   * @param {boolean} isFull  has all its cells, whatever is said in them
   */
  constructor(changes, aligns, isHead, isFull) {
    super("row");
    this.changes = changes;
    this.aligns = aligns;
    this.isHead = isHead;
    if (isFull) this.#fill(aligns.length);
  }

  /** Cells in which nothing is said. */
  get emptyCount() {
    return this.children.length - this.#saidCount;
  }

  /** @param {string} text */
  write(text) {
    for (const part of text.match(/\\|\||[ \t]+|[^\\| \t]+(?:[ \t]+[^\\| \t]+)*/g) ?? []) this.#take(part);
  }

  close() {
    if (this.#escaped) this.#say("\\");
    this.#escaped = false;
    for (const cell of this.children) cell.close();
  }

  /** @param {string} part */
  #take(part) {
    if (this.#escaped) {
      this.#escaped = false;
      // The backslash hides the bar from the table alone, also in code.
      if (part === "|") return this.#say("|");
      this.#say("\\");
      if (part === "\\") return this.#say("\\");
    }
    if (part === "\\") this.#escaped = true;
    else if (part === "|") this.#bar();
    else if (!BLANK.test(part) || this.#cell) this.#say(part);
    this.#begun ||= !BLANK.test(part);
  }

  #bar() {
    if (this.#cell) this.#cell = null;
    else if (this.#begun) this.#count += 1;
  }

  /** So many cells, or as many as there are columns. @param {number} count */
  #fill(count) {
    while (this.children.length < Math.min(count, this.aligns.length)) {
      const align = /** @type {Align} */ (this.aligns[this.children.length]);
      this.append(Object.assign(new TextBlock("cell", this.changes), { align, isHead: this.isHead }));
      this.changes.add(this);
    }
  }

  /** @param {string} text */
  #say(text) {
    if (!this.#cell) {
      this.#count += 1;
      this.#begun = true;
      this.#fill(this.#count);
      this.#cell = /** @type {TextBlock} */ (this.children[this.#count - 1] ?? IGNORED);
      if (this.#cell !== IGNORED) this.#saidCount += 1;
    }
    if (this.#cell !== IGNORED) this.#cell.write(text);
  }
}

/** Wider spaces, of CJK text for one, are text: where a piece ends must not decide. */
const BLANK = /^[ \t]*$/;

/** Cells beyond the table's columns are not shown. */
const IGNORED = /** @type {any} */ ({});

/** How many cells a line has. @param {string} line */
export function cellCount(line) {
  const cells = line.trim().replace(/\\\\|\\\|/g, "xx");
  const inner = cells.replace(/^\|/, "").replace(/\|$/, "");
  return inner.split("|").length;
}
