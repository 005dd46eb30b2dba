/**
 * @file Colours the tokens of code: each is put into an element of its own, once, when its line is whole.
 *
 * Not by the CSS Custom Highlight API, which would add no elements: with every change of the document
 * Chromium 156 paints anew whatever text it marks, 10 µs and more a range and frame.
 */

import { KINDS } from "./kinds.js";
import { Selected } from "./selected.js";

/** @import { Tokens } from "./lines.js" */

/** A group of lines. */
export class ColouredGroup {
  /** The node behind which the next token is looked for, and where in the group's text that is. @type {ChildNode | null} */
  #before = null;
  #textAt = 0;

  /** @param {Element} element  holds text, which is only ever added to, and nothing else */
  constructor(element) {
    this.element = element;
  }

  /** @param {Tokens} tokens  of the next line, by their places in the group's text */
  add(tokens) {
    if (tokens.length === 0) return;
    const selected = Selected.within(this.element);
    for (let at = 0; at < tokens.length; at += 3) {
      const [start = 0, length = 0, kind = 0] = tokens.slice(at, at + 3);
      this.#colour(start, length, `code-${KINDS[kind]}`);
    }
    selected?.restore();
  }

  /**
   * @param {number} start
   * @param {number} length
   * @param {string} className
   */
  #colour(start, length, className) {
    const element = document.createElement("span");
    element.className = className;
    this.#textFrom(start).before(element);
    for (let rest = length; rest > 0 && element.nextSibling; ) {
      const text = /** @type {Text} */ (element.nextSibling);
      if (text.length > rest) text.splitText(rest);
      rest -= text.length;
      element.append(text);
    }
    [this.#before, this.#textAt] = [element, start + length];
  }

  /** The text node that begins there. @param {number} start */
  #textFrom(start) {
    let text = /** @type {Text} */ (this.#before ? this.#before.nextSibling : this.element.firstChild);
    while (start >= this.#textAt + text.length && text.nextSibling) {
      this.#textAt += text.length;
      this.#before = text;
      text = /** @type {Text} */ (text.nextSibling);
    }
    return start > this.#textAt ? text.splitText(start - this.#textAt) : text;
  }
}
