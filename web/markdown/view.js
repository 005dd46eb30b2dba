/** @file Shows Markdown in the document: builds nodes, never markup, and touches only what has changed. */

import { CodeBlock, ContainerBlock, HeadingBlock, HtmlBlock, ItemBlock, ListBlock, NoteBlock, TextBlock } from "./blocks.js";
import { InlineView, showTarget } from "./inlines.js";
import { LiteralView } from "./literal.js";
import { leadToNotes, noteElement } from "./notes.js";
import { BlockReader } from "./reader.js";
import { RowBlock, TableBlock } from "./table.js";
import { workSoon } from "../slices.js";
import { say } from "../words.js";

/** @import { Block } from "./blocks.js" */

/**
 * Blocks that the browser lays out together, or not at all while they are out of sight, those inside of
 * blocks counted, too. A check of each block by itself costs more than it spares: 836 blocks 1.5 ms a
 * frame, 26 groups 0.05.
 */
const GROUP = 64;
/** Rows of a table of which the same is true. */
const ROWS = 32;

export class MarkdownView {
  #reader = new BlockReader();

  /** @param {HTMLElement} element  shows it, and nothing else */
  constructor(element) {
    this.element = element;
    this.#reader.root.view = new BlockView(element);
    leadToNotes(element);
    this.#reader.replaced = (old, block) => {
      if (old.view) old.view.element.replaceWith(this.#build(block));
    };
  }

  /** More text; `commit` shows it. @param {string} text */
  write(text) {
    this.#reader.write(text);
  }

  /** The text is whole. */
  end() {
    this.#reader.end();
  }

  /** Brings the document up to what has been written. */
  commit() {
    const { changed } = this.#reader;
    for (const block of changed) if (block.view) this.#update(block);
    changed.clear();
    if (this.#reader.references.defined.length > 0) workSoon(this);
  }

  /**
   * Shows what references lead to that have been defined: in their places, so that all else stays as it is.
   * @param {() => boolean} hasTime
   * @returns {boolean}  whether it is done
   */
  work(hasTime) {
    const { defined } = this.#reader.references;
    let count = 0;
    for (let first = defined[0]; first && hasTime(); first = defined[count]) {
      showTarget(first);
      count += 1;
    }
    defined.splice(0, count);
    return defined.length === 0;
  }

  /** @param {Block} block @returns {HTMLElement} */
  #build(block) {
    block.view = new BlockView(elementOf(block));
    this.#update(block);
    return block.view.element;
  }

  /** @param {Block} block */
  #update(block) {
    const view = /** @type {BlockView} */ (block.view);
    if (block instanceof TextBlock) view.showText(block);
    else if (block instanceof CodeBlock || block instanceof HtmlBlock) this.#literal(block, view);
    else if (block instanceof ContainerBlock) this.#children(block, view);
    if (block instanceof ListBlock) view.element.classList.toggle("loose", block.isLoose);
    if (block instanceof ItemBlock && block.task !== null) view.tick(block.task);
  }

  /**
   * @param {CodeBlock | HtmlBlock} block
   * @param {BlockView} view
   */
  #literal(block, view) {
    view.literal ??= literalView(block, view.element);
    view.literal.append(block.fresh);
    block.fresh = "";
    if (block.isClosed) view.literal.end();
  }

  /**
   * @param {ContainerBlock} block
   * @param {BlockView} view
   */
  #children(block, view) {
    for (let child = block.children[view.count]; child && !child.isHidden; child = block.children[view.count]) {
      view.placeFor(block).append(this.#build(child));
      view.count += 1;
    }
    // The last may be open, and so may all cells of a row.
    if (!(block instanceof RowBlock)) block.forget(view.count - 1);
  }
}

/** What the renderer keeps of a block. */
class BlockView {
  /** Children shown. */
  count = 0;
  /** While the text is written. @type {InlineView | null} */
  #inlines = null;
  /** @type {LiteralView | undefined} */
  literal;
  /** @type {HTMLInputElement | undefined} */
  #box;
  /** Where children go. @type {HTMLElement | undefined} */
  #place;
  /** Blocks there. */
  #size = 0;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  /** @param {TextBlock} block */
  showText(block) {
    if (block.isForgotten) return;
    this.#inlines ??= new InlineView(this.element);
    this.#inlines.show(block.reader.cells);
    if (!block.isClosed) return;
    block.forget();
    this.#inlines = null;
  }

  /** Where the next child goes. @param {ContainerBlock} block */
  placeFor(block) {
    if (block instanceof TableBlock) return this.#tablePart();
    if (block instanceof NoteBlock) return /** @type {HTMLElement} */ (this.element.lastElementChild);
    if (!(block instanceof ListBlock) && block.type !== "document") return this.element;
    const before = block.children[this.count - 1];
    if (before) this.#size += before.size;
    if (!this.#place || this.#size >= GROUP) {
      this.#place?.classList.add("finished");
      this.#size = 0;
      const group = block instanceof ListBlock ? listPart(block, this.count) : made("div", "group");
      this.#place = this.element.appendChild(group);
    }
    return /** @type {HTMLElement} */ (this.#place);
  }

  /** @param {boolean} isDone */
  tick(isDone) {
    if (!this.#box) {
      this.#box = document.createElement("input");
      this.#box.type = "checkbox";
      this.#box.disabled = true;
      this.element.prepend(this.#box);
      this.element.classList.add("task");
    }
    this.#box.toggleAttribute("checked", isDone);
    this.#box.setAttribute("aria-label", isDone ? say("Done") : say("To do"));
  }

  /** A long table is several of one width: the browser lays out a table as a whole. */
  #tablePart() {
    const row = this.count - 1; // below the head
    if (row < 0) return this.#newTable().appendChild(made("thead"));
    if (row === 0) this.#place = this.element.querySelector("table")?.appendChild(made("tbody"));
    else if (row % ROWS === 0) {
      this.element.classList.add("long");
      this.element.lastElementChild?.classList.add("finished");
      this.#place = this.#newTable().appendChild(made("tbody"));
    }
    return /** @type {HTMLElement} */ (this.#place);
  }

  #newTable() {
    return this.element.appendChild(made("div")).appendChild(made("table"));
  }
}

/**
 * @param {string} name
 * @param {string} [className]
 */
function made(name, className) {
  const element = document.createElement(name);
  if (className) element.className = className;
  return element;
}

/** @param {Block} block @returns {HTMLElement} */
function elementOf(block) {
  if (block instanceof HeadingBlock) return made(`h${block.level}`);
  if (block instanceof CodeBlock) return codeElement(block);
  if (block instanceof HtmlBlock) return made("pre", "html");
  if (block instanceof ListBlock) return made("div", "list");
  if (block instanceof ItemBlock) return made("li");
  if (block instanceof RowBlock) return made("tr");
  if (block instanceof NoteBlock) return noteElement(block.number);
  if (block instanceof TableBlock) return made("div", `table ${widthOf(block.aligns.length)}`.trim());
  if (block.type === "cell") return cellElement(/** @type {any} */ (block));
  return made({ paragraph: "p", quote: "blockquote", rule: "hr" }[block.type] ?? "div");
}

/** How many columns a table may have to be as wide as the page, and to be as wide as so many take. */
const [FEW, WIDTHS] = [4, [6, 8, 12, 16, 32]];

/** @param {number} columns */
function widthOf(columns) {
  if (columns <= FEW) return "";
  return `wide-${WIDTHS.find((width) => columns <= width) ?? WIDTHS.at(-1)}`;
}

/**
 * @param {CodeBlock | HtmlBlock} block
 * @param {HTMLElement} element
 */
function literalView(block, element) {
  return block instanceof CodeBlock
    ? new LiteralView(/** @type {Element} */ (element.querySelector("code")), languageOf(block))
    : new LiteralView(element);
}

/** @param {CodeBlock} block */
const languageOf = ({ fence }) => fence?.info.split(/\s/)[0] ?? "";

/** Its language, what can be done with it, and the code. @param {CodeBlock} block */
function codeElement(block) {
  const language = languageOf(block);
  const element = made("div", "code");
  const bar = element.appendChild(made("div", "bar"));
  bar.appendChild(made("span")).textContent = language;
  bar.append(button("copy", say("Copy"), say("Copy this code")), button("save", say("Save"), say("Save this code as a file")));
  const code = element.appendChild(made("pre")).appendChild(made("code"));
  if (language) code.dataset["language"] = language;
  return element;
}

/**
 * @param {string} className
 * @param {string} text
 * @param {string} label  for those who do not see what it stands beside
 */
function button(className, text, label) {
  const element = made("button", className);
  element.setAttribute("type", "button");
  element.setAttribute("aria-label", label);
  element.textContent = text;
  return element;
}

/**
 * @param {ListBlock} block
 * @param {number} count  items before it
 */
function listPart({ start }, count) {
  const list = made(start === null ? "ul" : "ol");
  if (start !== null && start + count !== 1) list.setAttribute("start", String(start + count));
  return list;
}

/** @param {{ isHead: boolean, align: string | null }} cell */
function cellElement({ isHead, align }) {
  const cell = made(isHead ? "th" : "td");
  if (align) cell.classList.add(align);
  return cell;
}
