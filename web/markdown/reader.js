/** @file Markdown's blocks, line by line, while the text arrives.

 A line counts as soon as it is known what it is, whatever may follow: then the rest of it is written
 into its block as it comes. Until then it waits: `Title\n-` may be a heading, a list or a rule.
*/

import {
  CodeBlock,
  ContainerBlock,
  HeadingBlock,
  HtmlBlock,
  IndentedBlock,
  ItemBlock,
  ListBlock,
  NoteBlock,
  ParagraphBlock,
  Block,
} from "./blocks.js";
import { Cursor } from "./cursor.js";
import { nextLook } from "./looks.js";
import { References } from "./references.js";
import * as starts from "./starts.js";
import { RowBlock, TableBlock } from "./table.js";

/** @import { Align } from "./table.js" */
/** @import { Start } from "./starts.js" */

/** Blocks inside of one another. Beyond that a line's markers are text: a document so deep takes browsers down. */
const MOST_NESTED = 100;

const HALF = /[\r\ud800-\udbff]$/;

/**
 * What the line does: `kept` blocks of those open go on, `opens` come below them, `text` is for the
 * innermost, or for the paragraph that was open (`isLazy`), or opens a new paragraph.
 * @typedef {{ kept: number, opens: Block[], text: string | null, isLazy: boolean, isBlank: boolean,
 *   act?: () => void }} Plan
 */

export class BlockReader {
  references = new References();
  root = new ContainerBlock("document");
  /** Blocks that differ from what was last shown. @type {Set<Block>} */
  changed = new Set();
  /** From the root inwards. @type {Block[]} */
  #open = [this.root];
  /** The line's begin, while it is not known what it is, and how long it is when it is looked at again. */
  #held = "";
  #nextLook = 0;
  #isInside = false;
  #line = 0;
  /** The text's last code unit, if it may belong to the next: "\r" to "\n", or half of a character. */
  #half = "";

  /** @param {string} text */
  write(text) {
    const whole = this.#half + text;
    this.#half = HALF.exec(whole)?.[0] ?? "";
    const ready = this.#half ? whole.slice(0, -1) : whole;
    this.#lines(ready.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd"));
    this.references.settle(text.length);
  }

  end() {
    if (this.#half) this.#lines(this.#half === "\r" ? "\n" : "\ufffd");
    if (this.#held !== "" || this.#isInside) this.#endLine();
    this.#closeTo(0);
    this.root.close();
    this.references.settle(0, true);
  }

  /** @param {Block} block */
  add(block) {
    this.changed.add(block);
  }

  /** @param {string} text */
  #lines(text) {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#part(text.slice(from, end), true);
      this.#endLine();
      from = end + 1;
    }
    if (from < text.length) this.#part(text.slice(from), false);
  }

  /**
   * @param {string} text  part of a line
   * @param {boolean} isWhole  its end
   */
  #part(text, isWhole) {
    if (this.#isInside) {
      if (text) this.#write(text);
      return;
    }
    this.#held += text;
    if (!isWhole && this.#held.length >= this.#nextLook) this.#begin(false);
  }

  #endLine() {
    if (!this.#isInside) this.#begin(true);
    this.#finishLine();
    this.#isInside = false;
    this.#held = "";
    this.#nextLook = 0;
    this.#line += 1;
  }

  /** @param {boolean} isWhole */
  #begin(isWhole) {
    const plan = this.#plan(new Cursor(this.#held, isWhole));
    if (plan === starts.UNKNOWN) {
      this.#nextLook = nextLook(this.#held.length);
      return;
    }
    this.#isInside = true;
    this.#apply(plan);
  }

  get #tip() {
    return /** @type {Block} */ (this.#open[this.#open.length - 1]);
  }

  // ---- what a line is

  /**
   * @param {Cursor} cursor
   * @returns {Plan | typeof starts.UNKNOWN}
   */
  #plan(cursor) {
    let kept = 1;
    for (; kept < this.#open.length; kept += 1) {
      if (cursor.isBlank && !cursor.isWhole) return starts.UNKNOWN;
      const goesOn = this.#goesOn(/** @type {Block} */ (this.#open[kept]), cursor);
      if (goesOn === starts.UNKNOWN) return starts.UNKNOWN;
      if (typeof goesOn === "object") return { kept: kept + 1, opens: [], text: null, isLazy: false, isBlank: false, ...goesOn };
      if (!goesOn) break;
    }
    const innermost = /** @type {Block} */ (this.#open[kept - 1]);
    const plan = { kept, opens: /** @type {Block[]} */ ([]), text: /** @type {string | null} */ (null), isLazy: false, isBlank: false };
    if (innermost instanceof CodeBlock || innermost instanceof HtmlBlock) return { ...plan, text: cursor.remaining };
    return this.#planOpen(plan, cursor);
  }

  /**
   * @param {Plan} plan
   * @param {Cursor} cursor
   * @returns {Plan | typeof starts.UNKNOWN}
   */
  #planOpen(plan, cursor) {
    for (;;) {
      if (cursor.isBlank) {
        if (!cursor.isWhole) return starts.UNKNOWN;
        return { ...plan, isBlank: true };
      }
      const container = plan.opens[plan.opens.length - 1] ?? /** @type {Block} */ (this.#open[plan.kept - 1]);
      if (plan.kept + plan.opens.length > MOST_NESTED) break;
      const opened = this.#opens(plan, container, cursor);
      if (opened === starts.UNKNOWN) return starts.UNKNOWN;
      if (opened === null) break;
      plan.opens.push(...opened.blocks);
      const act = opened.act ?? this.#becoming(container, opened);
      if (act) plan.act = act;
      if (opened.text !== undefined || act) return { ...plan, text: opened.text ?? null };
    }
    const tip = this.#tip;
    const isOpen = plan.kept === this.#open.length;
    if (!isOpen && plan.opens.length === 0 && tip instanceof ParagraphBlock) return { ...plan, kept: this.#open.length, text: cursor.rest, isLazy: true };
    return { ...plan, text: cursor.rest };
  }

  /**
   * What makes another block of the paragraph before the line.
   * @param {Block} paragraph
   * @param {{ level?: number, aligns?: Align[] }} start
   */
  #becoming(paragraph, { level, aligns }) {
    if (!(paragraph instanceof ParagraphBlock)) return undefined;
    if (level) return () => this.#becomeHeading(paragraph, level);
    return aligns && (() => this.#becomeTable(paragraph, aligns));
  }

  /**
   * Whether an open block goes on in this line; an object: with it the line is dealt with.
   * @param {Block} block
   * @param {Cursor} cursor
   * @returns {boolean | Partial<Plan> | typeof starts.UNKNOWN}
   */
  #goesOn(block, cursor) {
    if (block instanceof ListBlock) return true;
    if (block instanceof ItemBlock) {
      if (cursor.isBlank) {
        if (block.children.length === 0) return false;
        cursor.skipSpaces();
      } else if (cursor.indent >= block.columns) cursor.skipColumns(block.columns);
      else return false;
      return true;
    }
    if (block instanceof NoteBlock) {
      if (cursor.isBlank) return block.children.length > 0;
      if (cursor.indent < starts.CODE_INDENT) return false;
      cursor.skipColumns(starts.CODE_INDENT);
      return true;
    }
    if (block instanceof CodeBlock) return this.#codeGoesOn(block, cursor);
    if (block instanceof HtmlBlock) return !(cursor.isBlank && block.end === null);
    if (block instanceof ParagraphBlock || block instanceof TableBlock) return !cursor.isBlank;
    return block.type === "quote" && cursor.indent < starts.CODE_INDENT && starts.takeQuote(cursor);
  }

  /**
   * @param {CodeBlock} block
   * @param {Cursor} cursor
   * @returns {boolean | Partial<Plan> | typeof starts.UNKNOWN}
   */
  #codeGoesOn(block, cursor) {
    const { fence } = block;
    if (!fence) {
      if (!cursor.isBlank && cursor.indent < starts.CODE_INDENT) return false;
      cursor.skipColumns(starts.CODE_INDENT);
      return true;
    }
    if (cursor.indent < starts.CODE_INDENT && cursor.char === fence.char) {
      const closing = /^(`+|~+)[ \t]*$/.exec(cursor.rest);
      if (closing && !cursor.isWhole) return starts.UNKNOWN;
      if (closing && /** @type {string} */ (closing[1]).length >= fence.length) {
        return { act: () => this.#closeTo(this.#open.indexOf(block)) };
      }
    }
    cursor.skipColumns(fence.indent);
    return true;
  }

  /**
   * The blocks that begin here; with `text` or `act` the line is dealt with; null: none.
   * @param {Plan} plan
   * @param {Block} container
   * @param {Cursor} cursor
   * @returns {Start}
   */
  #opens(plan, container, cursor) {
    const isKept = plan.opens.length === 0;
    // A line that goes on with the paragraph before it without its markers interrupts as little.
    const hasParagraph = this.#tip instanceof ParagraphBlock && isKept;
    if (cursor.indent >= starts.CODE_INDENT) {
      if (hasParagraph || container instanceof TableBlock) return null;
      cursor.skipColumns(starts.CODE_INDENT);
      return { blocks: [new IndentedBlock(this)], text: cursor.remaining };
    }
    const paragraph = container instanceof ParagraphBlock ? container : null;
    switch (cursor.char) {
      case ">":
        starts.takeQuote(cursor);
        return { blocks: [new ContainerBlock("quote")] };
      case "#":
        return starts.heading(cursor, this);
      case "`":
      case "~":
        return starts.fence(cursor, this);
      case "<":
        return starts.html(cursor, hasParagraph, this);
      case "[": {
        const note = starts.note(cursor);
        if (note) return note;
        break;
      }
      default:
    }
    return (
      starts.underlined(cursor, paragraph) ??
      starts.rule(cursor, this) ??
      starts.item(cursor, container, paragraph, this.#line) ??
      starts.table(cursor, paragraph)
    );
  }

  // ---- what a line does

  /** @param {Plan} plan */
  #apply(plan) {
    if (plan.isLazy) return this.#write(`\n${plan.text}`);
    if (plan.isBlank && plan.opens.length === 0) return this.#blank(plan.kept);
    const hasOpened = plan.opens.length > 0;
    const isNew = hasOpened || plan.kept < this.#open.length;
    if (isNew) this.#closeTo(plan.kept);
    for (const block of plan.opens) this.#append(block);
    if (plan.act) plan.act();
    else if (!plan.isBlank) this.#text(/** @type {string} */ (plan.text), isNew);
    for (const block of this.#open) block.endsBlank = false;
  }

  /**
   * @param {string} text
   * @param {boolean} isNew  begins something
   */
  #text(text, isNew) {
    const tip = this.#tip;
    if (tip instanceof CodeBlock || tip instanceof HtmlBlock) return tip.beginLine(text);
    if (tip instanceof HeadingBlock) return tip.write(text);
    if (tip instanceof TableBlock) {
      this.#append(tip.beginRow(), true);
      return this.#write(text);
    }
    if (tip instanceof ParagraphBlock) return tip.write(isNew ? text : `\n${text}`);
    const item = tip instanceof ItemBlock && tip.children.length === 0 ? tip : null;
    const paragraph = new ParagraphBlock(this, item);
    this.#append(paragraph);
    return paragraph.write(text);
  }

  /** More of the line. @param {string} text */
  #write(text) {
    const tip = /** @type {any} */ (this.#tip);
    if (typeof tip.write === "function") tip.write(text);
  }

  #finishLine() {
    const tip = this.#tip;
    if (tip instanceof HeadingBlock || tip instanceof RowBlock) this.#closeTo(this.#open.length - 1);
    else if (tip.type === "rule") this.#closeTo(this.#open.length - 1);
    else if (tip instanceof HtmlBlock && tip.end?.test(tip.line)) this.#closeTo(this.#open.length - 1);
  }

  /** A line without text, which keeps so many blocks. @param {number} kept */
  #blank(kept) {
    const container = /** @type {Block} */ (this.#open[kept - 1]);
    if (container instanceof ContainerBlock && container.last) container.last.endsBlank = true;
    const isBegun = container instanceof ItemBlock && container.children.length === 0 && container.line === this.#line;
    for (const block of this.#open.slice(0, kept)) block.endsBlank = false;
    container.endsBlank = !(container.type === "quote" || isBegun);
    this.#closeTo(kept);
  }

  /** A block after a blank line makes its list loose. @param {ContainerBlock} parent */
  #loosen(parent) {
    const list = parent instanceof ItemBlock ? parent.parent : parent;
    if (!(list instanceof ListBlock) || list.isLoose || !parent.last || !endsWithBlank(parent.last)) return;
    list.isLoose = true;
    this.changed.add(list);
  }

  /**
   * @param {Block} block
   * @param {boolean} [isIn]  its parent has it already
   */
  #append(block, isIn = false) {
    if (!isIn) while (!canHold(this.#tip, block)) this.#closeTo(this.#open.length - 1);
    const parent = /** @type {ContainerBlock} */ (this.#tip);
    if (!isIn) {
      this.#loosen(parent);
      parent.append(block);
    }
    if (block instanceof NoteBlock) block.number = this.references.defineNote(block.key);
    this.#open.push(block);
    this.changed.add(parent);
  }

  /** Closes all but so many. @param {number} count */
  #closeTo(count) {
    while (this.#open.length > Math.max(count, 1)) {
      const block = /** @type {Block} */ (this.#open.pop());
      block.close();
      if (block instanceof ParagraphBlock && block.isHidden) remove(block);
    }
  }

  /**
   * @param {ParagraphBlock} paragraph
   * @param {number} level
   */
  #becomeHeading(paragraph, level) {
    const heading = new HeadingBlock(this, level);
    paragraph.become(heading);
    this.#replace(paragraph, heading);
    this.#open.pop();
  }

  /**
   * Its last line is the head; what came before it stays a paragraph.
   * @param {ParagraphBlock} paragraph
   * @param {Align[]} aligns
   */
  #becomeTable(paragraph, aligns) {
    const { lines, lastLine } = paragraph;
    const table = new TableBlock(this, aligns);
    this.#open.pop();
    const isWhole = lastLine === 0;
    if (isWhole) this.#replace(paragraph, table);
    else {
      const before = new ParagraphBlock(this, null);
      before.write(lines.slice(0, lastLine - 1));
      before.close();
      this.#replace(paragraph, before);
      const parent = /** @type {ContainerBlock} */ (this.#tip);
      if (before.isHidden) this.#replace(before, table);
      else parent.append(table);
    }
    this.#open.push(table);
    const head = table.beginRow();
    head.write(lines.slice(lastLine));
    head.close();
    this.changed.add(table.parent ?? table);
  }

  /**
   * @param {Block} old
   * @param {Block} block
   */
  #replace(old, block) {
    const parent = /** @type {ContainerBlock} */ (old.parent);
    parent.children[parent.children.lastIndexOf(old)] = block;
    block.parent = parent;
    block.view = undefined;
    this.changed.delete(old);
    this.changed.add(parent);
    this.changed.add(block);
    this.replaced(old, block);
  }

  /** For the renderer: what was shown as `old` is `block` now. */
  replaced = (/** @type {Block} */ _old, /** @type {Block} */ _block) => {};
}

/**
 * @param {Block} block
 * @param {Block} child
 */
function canHold(block, child) {
  if (block instanceof ListBlock) return child instanceof ItemBlock;
  return block instanceof ContainerBlock && !(block instanceof TableBlock) && !(child instanceof ItemBlock);
}

/** @param {Block} block */
function endsWithBlank(block) {
  for (let at = /** @type {Block | undefined} */ (block); at; ) {
    if (at.endsBlank) return true;
    at = at instanceof ListBlock || at instanceof ItemBlock ? at.last : undefined;
  }
  return false;
}

/** @param {Block} block */
function remove(block) {
  const siblings = /** @type {ContainerBlock} */ (block.parent).children;
  siblings.splice(siblings.lastIndexOf(block), 1);
}
