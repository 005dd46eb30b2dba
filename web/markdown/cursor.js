/** @file A place in a line, by characters and by columns: a tab reaches to the next multiple of 4. */

const TAB = 4;

export class Cursor {
  #at = 0;
  #column = 0;
  /** Columns of the tab at `at` that have been passed. */
  #partOfTab = 0;
  /** Where the next character is that is neither space nor tab, and the columns up to it. */
  nonspace = 0;
  indent = 0;

  /**
   * @param {string} line
   * @param {boolean} isWhole  false: more of it may come
   */
  constructor(line, isWhole) {
    this.line = line;
    this.isWhole = isWhole;
    this.#look();
  }

  /** Spaces and tabs alone from here on. */
  get isBlank() {
    return this.nonspace >= this.line.length;
  }

  /** The line from the next character that is no space. */
  get rest() {
    return this.line.slice(this.nonspace);
  }

  get char() {
    return this.line.charAt(this.nonspace);
  }

  /** The line from here on, a tab that has been passed in part as the spaces that are left of it. */
  get remaining() {
    if (!this.#partOfTab) return this.line.slice(this.#at);
    return " ".repeat(TAB - (this.#column % TAB)) + this.line.slice(this.#at + 1);
  }

  skipSpaces() {
    this.#at = this.nonspace;
    this.#column += this.indent;
    this.#partOfTab = 0;
    this.#look();
  }

  /** @param {number} count  characters that are no tabs */
  skip(count) {
    this.#at += count;
    this.#column += count;
    this.#look();
  }

  /** Up to so many columns of spaces. @param {number} count */
  skipColumns(count) {
    for (let left = count; left > 0; ) {
      const char = this.line.charAt(this.#at);
      if (char !== " " && char !== "\t") break;
      const width = char === "\t" ? TAB - (this.#column % TAB) : 1;
      const step = Math.min(width, left);
      this.#column += step;
      left -= step;
      this.#partOfTab = step < width ? this.#partOfTab + step : 0;
      if (step === width) this.#at += 1;
    }
    this.#look();
  }

  #look() {
    let column = this.#column;
    let at = this.#at;
    for (; at < this.line.length; at += 1) {
      const char = this.line.charAt(at);
      if (char === " ") column += 1;
      else if (char === "\t") column += TAB - (column % TAB);
      else break;
    }
    this.nonspace = at;
    this.indent = column - this.#column;
  }
}
