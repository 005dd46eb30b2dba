/** @file What stands in angle brackets: HTML, and addresses. Found, never obeyed: it is shown as text. */

/** @import { Written } from "./written.js" */

/** @typedef {"tag" | "comment" | "instruction" | "declaration" | "cdata"} AngleKind */

const TAG_NAME = "[A-Za-z][A-Za-z0-9-]*";
const ATTRIBUTE = `(?:[ \\t\\n]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \\t\\n]*=[ \\t\\n]*(?:[^ \\t\\n"'=<>\`]+|'[^']*'|"[^"]*"))?)`;
export const OPEN_TAG = `<${TAG_NAME}${ATTRIBUTE}*[ \\t\\n]*/?>`;
export const CLOSING_TAG = `</${TAG_NAME}[ \\t\\n]*>`;
const TAG = new RegExp(`^(?:${OPEN_TAG}|${CLOSING_TAG})$`);
const URI = /^<[A-Za-z][A-Za-z0-9.+-]{1,31}:[^\s<>\x00-\x20]*>$/;
const EMAIL = /^<[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*>$/;

/**
 * What a `<` may begin; null: nothing.
 * @param {string} text
 * @param {number} at
 * @returns {AngleKind | "more" | null}
 */
export function angleKind(text, at) {
  const next = text.charAt(at + 1);
  if (next === "") return "more";
  if (next === "?") return "instruction";
  if (next !== "!") return EMAIL_BEGIN.test(next) ? "tag" : null;
  const third = text.charAt(at + 2);
  if (third === "") return "more";
  if (third === "-") {
    const fourth = text.charAt(at + 3);
    return fourth === "-" ? "comment" : fourth === "" ? "more" : "tag";
  }
  if (third === "[") return "CDATA[".startsWith(text.slice(at + 3, at + 9)) ? (text.length < at + 9 ? "more" : "cdata") : null;
  return /[A-Za-z]/.test(third) ? "declaration" : "tag";
}

const EMAIL_BEGIN = /[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]/;

/** Characters between a `=` and the quote of its value, at most. */
const LOOK_BACK = 32;

/** One `<` that waits for its `>`. */
export class AngleScanner {
  /** Where it has been read up to, and inside which quotes. */
  #at;
  #quote = "";

  /**
   * @param {AngleKind} kind
   * @param {number} start  where the `<` is in the text
   */
  constructor(kind, start) {
    this.kind = kind;
    this.start = start;
    this.#at = start + 1;
  }

  /**
   * @param {Written} text
   * @param {number} end  just behind a `>`
   * @returns {"html" | "uri" | "email" | "more" | "dead"}
   */
  read(text, end) {
    if (this.kind === "declaration" && EMAIL.test(text.slice(this.start, end))) return "email";
    if (this.kind !== "tag") return this.#endsAt(text, end) ? "html" : "more";
    if (!this.#scan(text.slice(Math.max(this.start, this.#at - LOOK_BACK), end), end)) return "dead";
    const found = text.slice(this.start, end);
    if (URI.test(found)) return "uri";
    if (EMAIL.test(found)) return "email";
    if (this.#quote) return "more";
    return TAG.test(found) ? "html" : "dead";
  }

  /**
   * Up to the end, of which `text` is what comes before; false: a `<` ends it.
   * @param {string} text
   * @param {number} end
   */
  #scan(text, end) {
    for (; this.#at < end; this.#at += 1) {
      const at = text.length - (end - this.#at);
      const char = text.charAt(at);
      if (this.#quote) {
        if (char === this.#quote) this.#quote = "";
        continue;
      }
      // Only after "=" quotes are quotes; elsewhere a tag has none, and an address may.
      if ((char === '"' || char === "'") && /=[ \t\n]*$/.test(text.slice(Math.max(0, at - LOOK_BACK), at))) {
        this.#quote = char;
      } else if (char === "<") return false;
    }
    return true;
  }

  /**
   * @param {Written} text
   * @param {number} end
   */
  #endsAt(text, end) {
    const length = end - this.start;
    const last = text.slice(Math.max(this.start, end - 7), end);
    switch (this.kind) {
      case "comment":
        return last === "<!-->" || last === "<!--->" || (length >= 7 && last.endsWith("-->"));
      case "instruction":
        return last.endsWith("?>") && length >= 4;
      case "cdata":
        return last.endsWith("]]>");
      default:
        return true; // a declaration ends at the first
    }
  }
}
