/** @file Stop strings, found in text as it comes. */

/**
 * One stop string's automaton (Knuth, Morris, Pratt 1977): after each character
 * it knows how much of the string the text ends with, without looking back.
 */
class Matcher {
  #fallback;
  /** Code units of the string that the text so far ends with. */
  matched = 0;

  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.#fallback = fallbacks(text);
  }

  /**
   * @param {string} unit  one code unit
   * @returns {boolean}  the string is whole
   */
  take(unit) {
    while (this.matched > 0 && this.text[this.matched] !== unit) this.#shorten();
    if (this.text[this.matched] === unit) this.matched += 1;
    return this.matched === this.text.length;
  }

  #shorten() {
    this.matched = this.#fallback[this.matched - 1] ?? 0;
  }
}

/**
 * @param {string} text
 * @returns {number[]}  for each beginning of the text, the longest shorter beginning it ends with
 */
function fallbacks(text) {
  const lengths = [0];
  for (let i = 1, length = 0; i < text.length; i++) {
    while (length > 0 && text[length] !== text[i]) length = lengths[length - 1] ?? 0;
    if (text[length] === text[i]) length += 1;
    lengths.push(length);
  }
  return lengths;
}

/**
 * Lets the text of an answer pass up to the first stop string that becomes
 * whole; of two that do so at the same character, up to the longer one. What
 * may be the beginning of one is held back until it is known. Costs each new
 * character a step per stop string, whatever came before it.
 */
export class Stops {
  #matchers;
  #held = "";
  #isStopped = false;

  /**
   * @param {string[]} strings
   * @param {string} [before]  what is continued: a stop string may have begun there, where it was shown
   */
  constructor(strings, before = "") {
    this.#matchers = strings.map((text) => new Matcher(text));
    const longest = Math.max(1, ...strings.map(({ length }) => length));
    for (const unit of before.slice(-longest).split("")) this.#take(unit);
  }

  /** Whether a stop string came. */
  get isStopped() {
    return this.#isStopped;
  }

  /**
   * @param {string} text
   * @returns {string}  what may be shown now
   */
  push(text) {
    if (this.#isStopped) return "";
    if (this.#matchers.length === 0) return text;
    const all = this.#held + text;
    for (let at = 0; at < text.length; at++) {
      const found = this.#take(/** @type {string} */ (text[at]));
      if (found > 0) return this.#stop(all.slice(0, this.#held.length + at + 1), found);
    }
    const heldLength = Math.min(all.length, Math.max(...this.#matchers.map(({ matched }) => matched)));
    return this.#pass(all, all.length - heldLength);
  }

  /** @returns {string}  what was held back, and no stop string after all */
  end() {
    return this.#pass(this.#held, this.#held.length);
  }

  /**
   * @param {string} unit
   * @returns {number}  length of the longest string that is whole with it; 0: none
   */
  #take(unit) {
    let found = 0;
    for (const matcher of this.#matchers) if (matcher.take(unit)) found = Math.max(found, matcher.text.length);
    return found;
  }

  /**
   * @param {string} text  up to the stop string's end
   * @param {number} length  the stop string's
   */
  #stop(text, length) {
    this.#isStopped = true;
    this.#held = "";
    return text.slice(0, Math.max(0, text.length - length));
  }

  /**
   * @param {string} text
   * @param {number} length
   */
  #pass(text, length) {
    this.#held = text.slice(length);
    return text.slice(0, length);
  }
}
