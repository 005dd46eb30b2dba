/** @file Tables: a row is a line, and a cell takes its text as it comes. */

import { ContainerBlock, TextBlock } from "./blocks.js";

/** @import { Changes } from "./blocks.js" */

/** @typedef {"left" | "center" | "right" | null} Align */

export class TableBlock extends ContainerBlock {
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
    const row = new RowBlock(this.changes, this.aligns, this.children.length === 0);
    this.append(row);
    this.changes.add(this);
    return row;
  }
}

export class RowBlock extends ContainerBlock {
  /** The cell that is written into; null between cells. @type {TextBlock | null} */
  #cell = null;
  #count = 0;
  #begun = false;
  #escaped = false;

  /**
   * @param {Changes} changes
   * @param {Align[]} aligns
   * @param {boolean} isHead
   */
  constructor(changes, aligns, isHead) {
    super("row");
    this.isHead = isHead;
    for (const align of aligns) this.append(Object.assign(new TextBlock("cell", changes), { align, isHead }));
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

  /** @param {string} text */
  #say(text) {
    if (!this.#cell) {
      this.#cell = /** @type {TextBlock} */ (this.children[this.#count] ?? IGNORED);
      this.#count += 1;
      this.#begun = true;
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
