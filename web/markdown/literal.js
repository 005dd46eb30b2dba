/** @file Text as it is, line by line, in groups that are laid out only where they are seen. */

import { Highlighter } from "../highlight/highlighter.js";
import { languageNamed, readerOf } from "../highlight/languages.js";
import { ColouredGroup } from "../highlight/coloured.js";
import { pieceLength, PIECE_LENGTH } from "./pieces.js";

/** Lines of a group. */
const GROUP = 64;

export class LiteralView {
  #lines = 0;
  #highlighter;
  #group;
  /** @type {ColouredGroup | undefined} */
  #coloured;

  /**
   * @param {Element} element
   * @param {string} [language]  as a fence names it
   */
  constructor(element, language = "") {
    this.element = element;
    this.#highlighter = highlighterOf(language);
    this.#group = this.#newGroup();
  }

  /** @param {string} text */
  append(text) {
    for (let from = 0; from < text.length; ) {
      const end = this.#groupEnd(text, from);
      this.#say(text.slice(from, end));
      from = end;
      if (this.#lines < GROUP) continue;
      this.#lines = 0;
      this.#group.classList.add("finished");
      this.#group = this.#newGroup();
    }
  }

  /** The text is whole. */
  end() {
    this.#highlighter?.close();
  }

  /**
   * How far the text goes into this group.
   * @param {string} text
   * @param {number} from
   */
  #groupEnd(text, from) {
    let end = from;
    while (this.#lines < GROUP) {
      const newline = text.indexOf("\n", end);
      if (newline < 0) return text.length;
      end = newline + 1;
      this.#lines += 1;
    }
    return end;
  }

  /** @param {string} text */
  #say(text) {
    let last = this.#lastText();
    for (let rest = text; rest; ) {
      const length = pieceLength(rest, PIECE_LENGTH - last.length);
      last.appendData(rest.slice(0, length));
      rest = rest.slice(length);
      if (rest) last = this.#newText();
    }
    if (this.#coloured) this.#highlighter?.write(text, this.#coloured);
  }

  #newGroup() {
    const group = document.createElement("span");
    group.className = "lines";
    if (this.#highlighter) this.#coloured = new ColouredGroup(group);
    return this.element.appendChild(group);
  }

  /** Behind what has been coloured. */
  #lastText() {
    const { lastChild } = this.#group;
    return lastChild instanceof Text ? lastChild : this.#newText();
  }

  #newText() {
    return this.#group.appendChild(document.createTextNode(""));
  }
}

/** @param {string} name */
function highlighterOf(name) {
  const language = languageNamed(name);
  return language && new Highlighter(readerOf(language));
}
