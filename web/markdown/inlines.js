/** @file Shows inline nodes. */

import { formulaElement } from "./formulas.js";
import { noteReference } from "./notes.js";

/** @import { Inline, Reference } from "./nodes.js" */

/** @typedef {{ node: Inline, below: Cells, size: number } | null} Cells */

/** What a link may lead to. */
const SAFE = /^(?:https?:|mailto:)/i;

/**
 * A paragraph longer than this is laid out in parts: laying out one that has 40,000 characters costs
 * four times as much an update as one of 2,000. The parts break its lines, once in so many.
 */
const PART_LENGTH = 4096;
/** Where nothing but markup comes, a part may end anywhere from here on. */
const MOST_PART_LENGTH = 2 * PART_LENGTH;

/** The nodes of one block of text: those that are shown already stay, as the same nodes of the document. */
export class InlineView {
  /** @type {Cells} */
  #shown = null;
  /** Finished parts; what follows them stands in the element itself. @type {{ element: HTMLElement, last: NonNullable<Cells> }[]} */
  #parts = [];

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  /** Shows these instead: from the first cell that differs. @param {Cells} cells */
  show(cells) {
    if (cells === this.#shown) return;
    const { common, fresh } = difference(cells, this.#shown);
    this.#shown = cells;
    this.#open(common?.size ?? 0);
    const views = fresh.map(({ node }) => viewOf(node));
    place(this.element, views, this.#behind(common));
    this.#close(common, fresh);
  }

  /** Puts the parts that reach beyond so many cells back into the element. @param {number} size */
  #open(size) {
    for (let part = this.#parts.at(-1); part && part.last.size > size; part = this.#parts.at(-1)) {
      part.element.replaceWith(...part.element.childNodes);
      this.#parts.pop();
    }
  }

  /** What stands behind the cell. @param {Cells} cell */
  #behind(cell) {
    const part = this.#parts.at(-1);
    if (part && (!cell || cell.size <= part.last.size)) return part.element.nextSibling;
    return cell ? /** @type {ChildNode} */ (cell.node.view).nextSibling : this.element.firstChild;
  }

  /**
   * Makes parts of what is long enough: where, depends on the cells alone.
   * @param {Cells} common
   * @param {NonNullable<Cells>[]} fresh
   */
  #close(common, fresh) {
    const base = this.#parts.at(-1)?.last.size ?? 0;
    const cells = [...above(common, base), ...fresh];
    let [length, from] = [0, 0];
    for (let at = 0; at + 1 < cells.length; at += 1) {
      const cell = /** @type {NonNullable<Cells>} */ (cells[at]);
      length += lengthOf(cell.node);
      if (length < PART_LENGTH) continue;
      const isBetweenTexts = isText(cell.node) && isText(/** @type {NonNullable<Cells>} */ (cells[at + 1]).node);
      if (!isBetweenTexts && length < MOST_PART_LENGTH) continue;
      this.#part(cells.slice(from, at + 1));
      [length, from] = [0, at + 1];
    }
  }

  /** @param {NonNullable<Cells>[]} cells */
  #part(cells) {
    const views = cells.map(({ node }) => /** @type {ChildNode} */ (node.view));
    const element = document.createElement("span");
    element.className = "part finished";
    /** @type {ChildNode} */ (views[0]).before(element);
    element.append(...views);
    this.#parts.push({ element, last: /** @type {NonNullable<Cells>} */ (cells.at(-1)) });
  }
}

/**
 * Cells of `now` that are not of `before`, oldest first, and the newest that both have.
 * @param {Cells} now
 * @param {Cells} before
 */
function difference(now, before) {
  /** @type {NonNullable<Cells>[]} */
  const fresh = [];
  let [a, b] = [now, before];
  while (a !== b) {
    const [aSize, bSize] = [a?.size ?? 0, b?.size ?? 0];
    if (a && aSize >= bSize) {
      fresh.push(a);
      a = a.below;
    }
    if (b && bSize >= aSize) b = b.below;
  }
  return { common: a, fresh: fresh.reverse() };
}

/**
 * The chain's cells that come after so many, oldest first.
 * @param {Cells} from
 * @param {number} size
 */
function above(from, size) {
  const cells = [];
  for (let cell = from; cell && cell.size > size; cell = cell.below) cells.push(cell);
  return cells.reverse();
}

/**
 * @param {HTMLElement} element
 * @param {ChildNode[]} views
 * @param {ChildNode | null} from  what stands in their place; what is left of it, goes
 */
function place(element, views, from) {
  let next = from;
  for (const view of views) {
    if (view === next) next = next.nextSibling;
    else element.insertBefore(view, next);
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

/** @param {Inline} node */
const isText = (node) => node.type === "text" && !node.isSealed;

/** @param {Inline} node @returns {number} */
function lengthOf(node) {
  if (node.type === "reference" && node.key.startsWith("^")) return 1; // as what it will be
  if ("text" in node) return node.text.length;
  return "children" in node ? node.children.reduce((sum, child) => sum + lengthOf(child), 0) : 1;
}

/** @param {Inline} node @returns {ChildNode} */
function viewOf(node) {
  if (node.type === "text") return textView(node);
  return /** @type {ChildNode} */ (node.view ??= build(node));
}

/** A text that goes on is the same node. @param {{ text: string, view?: unknown }} node */
function textView(node) {
  const view = /** @type {Text | undefined} */ (node.view);
  if (!view) return /** @type {Text} */ (node.view = document.createTextNode(node.text));
  if (view.length < node.text.length && node.text.startsWith(view.data)) view.appendData(node.text.slice(view.length));
  else if (view.data !== node.text) view.data = node.text;
  return view;
}

/** In the place of its source, if that is shown. @param {Reference} reference */
export function showTarget(reference) {
  const { view, target } = reference;
  if (!target || !(view instanceof HTMLElement) || !view.matches(".reference")) return;
  reference.view = viewOf(target);
  view.replaceWith(/** @type {ChildNode} */ (reference.view));
}

/** As it is written. @param {Reference} reference */
function source({ before, children, after }) {
  const element = document.createElement("span");
  element.className = "reference";
  element.append(before, ...children.map(viewOf), after);
  return element;
}

/** @param {Exclude<Inline, { type: "text" }>} node @returns {ChildNode} */
function build(node) {
  switch (node.type) {
    case "reference":
      return node.target ? viewOf(node.target) : source(node);
    case "break":
      return document.createElement("br");
    case "emphasis":
      return holding("em", node.children);
    case "strong":
      return holding("strong", node.children);
    case "delete":
      return holding("del", node.children);
    case "code":
      return saying("code", node.text);
    case "html":
      return document.createTextNode(node.text);
    case "math":
      return formulaElement(node.text, node.isDisplay);
    case "note":
      return noteReference(node.number);
    default:
      return link(node);
  }
}

/** @param {Extract<Inline, { type: "link" | "image" }>} node */
function link(node) {
  const isLink = SAFE.test(node.href);
  const element = holding(isLink ? "a" : "span", node.children);
  if (node.type === "image") element.classList.add("image");
  element.title = [node.title, node.href].filter(Boolean).join("\n");
  if (element instanceof HTMLAnchorElement) {
    element.href = node.href;
    element.target = "_blank";
    element.rel = "noopener noreferrer";
  }
  return element;
}

/**
 * @param {string} name
 * @param {Inline[]} children
 */
function holding(name, children) {
  const element = document.createElement(name);
  element.append(...children.map(viewOf));
  return element;
}

/**
 * @param {string} name
 * @param {string} text
 */
function saying(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
