/** @file Lines that come and go: what was done, how to take it back, and what went wrong. */

import { say, sayFailure } from "./words.js";

/** @import { NamedFailure } from "./words.js" */

/** Long enough to read it and reach the button; for who is there already it stays. */
const SHOWN_MS = 10_000;
/** Lines at once. */
const MOST_LINES = 4;

export class Notice {
  /** @param {HTMLElement} element  role=status; hidden while there is nothing to say */
  constructor(element) {
    this.element = element;
  }

  /**
   * @param {string} text
   * @param {{ about?: string, onUndo?: () => void }} [options]  `about`: what else was said about it goes;
   *   `onUndo` takes back what was done
   */
  say(text, { about = text, onUndo } = {}) {
    const line = this.#add(text, about);
    if (onUndo) {
      line.classList.add("undoable");
      this.#button(line, say("Undo"), onUndo);
    }
    this.#expire(line);
  }

  /**
   * Stays until it is read.
   * @param {NamedFailure} failure
   * @param {string} [about]
   */
  fail(failure, about = sayFailure(failure)) {
    const line = this.#add(sayFailure(failure), about);
    line.classList.add("bad");
    this.#button(line, say("Close"), () => undefined);
  }

  /** Takes away what was said about something. @param {string} about  ends with "*": of all that begin so */
  hide(about) {
    const isMeant = (/** @type {string} */ each) => (about.endsWith("*") ? each.startsWith(about.slice(0, -1)) : each === about);
    for (const line of this.#lines) if (isMeant(line.dataset["about"] ?? "")) this.#remove(line);
  }

  /** Takes back what was done last. @returns {boolean}  false: there is nothing to take back */
  undo() {
    const button = this.#lines.findLast((line) => line.matches(".undoable"))?.querySelector("button");
    button?.click();
    return button !== undefined;
  }

  get #lines() {
    return /** @type {HTMLElement[]} */ ([...this.element.children]);
  }

  /**
   * @param {string} text
   * @param {string} about
   */
  #add(text, about) {
    this.hide(about);
    const line = document.createElement("p");
    line.className = "notice";
    line.dataset["about"] = about;
    line.appendChild(document.createElement("span")).textContent = text;
    this.element.append(line);
    this.element.hidden = false;
    // What can be taken back is lost last.
    const lines = this.#lines.slice(0, -1);
    if (lines.length >= MOST_LINES) this.#remove(lines.find((each) => !each.matches(".undoable")) ?? /** @type {HTMLElement} */ (lines[0]));
    return line;
  }

  /** @param {HTMLElement} line */
  #expire(line) {
    setTimeout(() => (line.matches(":hover, :focus-within") ? this.#expire(line) : this.#remove(line)), SHOWN_MS);
  }

  /** @param {HTMLElement} line */
  #remove(line) {
    line.remove();
    this.element.hidden = this.element.childElementCount === 0;
  }

  /**
   * @param {HTMLElement} line
   * @param {string} text
   * @param {() => void} onClick
   */
  #button(line, text, onClick) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => {
      this.#remove(line);
      onClick();
    });
    line.append(button);
  }
}
