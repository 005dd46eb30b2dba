/** @file A link's destination and title. */

import { decodeEntities } from "./entity.js";

const ESCAPED = /\\([!-/:-@[-`{-~])/;
const ESCAPED_OR_ENTITY = new RegExp(`${ESCAPED.source}|&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});`, "g");
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const CLOSERS = { '"': '"', "'": "'", "(": ")" };
const MOST_PARENTHESES = 32;

/** @param {string} text  as written, with backslashes and character references */
export function unescapeText(text) {
  return text.replace(ESCAPED_OR_ENTITY, (found, character) => character ?? decodeEntities(found));
}

/** The address as an attribute has it: percent-encoded where it has to be. @param {string} address */
export function linkHref(address) {
  return encodeURI(address.toWellFormed()).replace(/%25([0-9a-fA-F]{2})/g, "%$1");
}

/**
 * What follows `[text]` in parentheses, read as it comes: `(destination "title")`.
 * Where reading stands: `open` before the destination, then `bare` or `angle` inside it, `gap`
 * before the title, `title` inside it, `end` behind it.
 */
export class LinkTail {
  #place = /** @type {"start" | "open" | "bare" | "angle" | "angled" | "gap" | "title" | "end"} */ ("start");
  #depth = 0;
  #newlines = 0;
  #isEscaped = false;
  #closer = "";
  #destination = "";
  #title = /** @type {string | null} */ (null);
  /** Characters read. */
  length = 0;

  /**
   * @param {string} text
   * @param {number} from  where it begins
   * @returns {"whole" | "more" | "dead"}
   */
  read(text, from) {
    while (from + this.length < text.length) {
      const outcome = this.#step(text.charAt(from + this.length));
      this.length += 1;
      if (outcome) return outcome;
    }
    return "more";
  }

  /** @returns {{ length: number, href: string, title: string | null }} */
  link() {
    const title = this.#title === null ? null : unescapeText(this.#title);
    return { length: this.length, href: linkHref(unescapeText(this.#destination)), title };
  }

  /**
   * @param {string} char
   * @returns {"whole" | "dead" | undefined}
   */
  #step(char) {
    switch (this.#place) {
      case "start":
        this.#place = "open";
        return char === "(" ? undefined : "dead";
      case "open":
        return this.#open(char);
      case "bare":
        return this.#bare(char);
      case "angle":
        return this.#angle(char);
      case "angled":
        return isSpace(char) ? this.#gap(char) : char === ")" ? "whole" : "dead";
      case "gap":
        return this.#inGap(char);
      case "title":
        return this.#inTitle(char);
      default:
        if (isSpace(char)) return this.#space(char);
        return char === ")" ? "whole" : "dead";
    }
  }

  /** @param {string} char */
  #open(char) {
    if (isSpace(char)) return this.#space(char);
    if (char === ")") return "whole";
    if (char === "<") {
      this.#place = "angle";
      return undefined;
    }
    this.#place = "bare";
    return this.#bare(char);
  }

  /** @param {string} char */
  #bare(char) {
    if (this.#escapes(char)) return undefined;
    if (isSpace(char)) return this.#depth > 0 ? "dead" : this.#gap(char);
    if (char < " " || char === "\x7f") return "dead";
    if (char === "(" && (this.#depth += 1) > MOST_PARENTHESES) return "dead";
    if (char === ")" && (this.#depth -= 1) < 0) return "whole";
    this.#destination += char;
    return undefined;
  }

  /** @param {string} char */
  #angle(char) {
    if (this.#escapes(char)) return undefined;
    if (char === "<" || char === "\n") return "dead";
    if (char === ">") this.#place = "angled";
    else this.#destination += char;
    return undefined;
  }

  /** Takes a backslash, and what it escapes. @param {string} char */
  #escapes(char) {
    if (this.#isEscaped) {
      this.#isEscaped = false;
      if (!PUNCTUATION.test(char)) return false;
    } else if (char === "\\") this.#isEscaped = true;
    else return false;
    this.#destination += char;
    return true;
  }

  /** @param {string} char */
  #gap(char) {
    this.#place = "gap";
    this.#newlines = 0;
    return this.#space(char);
  }

  /** @param {string} char */
  #space(char) {
    if (char === "\n" && (this.#newlines += 1) > 1) return "dead";
    return undefined;
  }

  /** @param {string} char */
  #inGap(char) {
    if (isSpace(char)) return this.#space(char);
    if (char === ")") return "whole";
    if (char !== '"' && char !== "'" && char !== "(") return "dead";
    this.#place = "title";
    this.#closer = CLOSERS[char];
    this.#title = "";
    return undefined;
  }

  /** @param {string} char */
  #inTitle(char) {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (char === "\\") this.#isEscaped = true;
    else if (char === this.#closer) {
      this.#place = "end";
      this.#newlines = 0;
      return undefined;
    } else if (char === "(" && this.#closer === ")") return "dead";
    this.#title += char;
    return undefined;
  }
}

/** @param {string} char */
const isSpace = (char) => char === " " || char === "\t" || char === "\n";
