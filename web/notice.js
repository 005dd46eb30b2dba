/** @file One line that comes and goes: what was done, and how to take it back. */

import { say, sayFailure } from "./words.js";

/** @import { Failure } from "../worker/protocol.js" */

/** Long enough to read it and reach the button. */
const SHOWN_MS = 10_000;

export class Notice {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {HTMLElement} element  role=status
   * @param {HTMLElement} home  has the focus once its button is gone
   */
  constructor(element, home) {
    this.element = element;
    this.home = home;
  }

  /**
   * @param {string} text
   * @param {() => void} [onUndo]  takes back what was done
   */
  say(text, onUndo) {
    this.#show(text);
    if (onUndo) this.#button(say("Undo"), onUndo);
    this.#timer = setTimeout(() => this.hide(), SHOWN_MS);
  }

  /** Stays until it is read. @param {Failure} failure */
  fail(failure) {
    this.#show(sayFailure(failure));
    this.element.classList.add("bad");
    this.#button(say("Close"), () => undefined);
  }

  hide() {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }

  /** @param {string} text */
  #show(text) {
    clearTimeout(this.#timer);
    const line = document.createElement("span");
    line.textContent = text;
    this.element.classList.remove("bad");
    this.element.replaceChildren(line);
    this.element.hidden = false;
  }

  /**
   * @param {string} text
   * @param {() => void} onClick
   */
  #button(text, onClick) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => {
      this.hide();
      onClick();
      // What is hidden keeps the focus until the next frame.
      if (this.element.contains(document.activeElement) || document.activeElement === document.body) this.home.focus();
    });
    this.element.append(button);
  }
}
