/** @file Highlights one piece of code as it comes: each line once, when it is whole. */

import { MOST_LENGTH } from "./lines.js";
import { pause, workSoon } from "../slices.js";

/** @import { LineReader, Tokens } from "./lines.js" */

/** Takes the tokens of one of its lines, by their places in its text. @typedef {{ add(tokens: Tokens): void }} Group */

/** Of longer code the rest is plain: a token is two nodes more in the document. */
export const MOST_LINES = 10_000;

/** How many languages are being fetched. */
let loadCount = 0;

/** Once all code is as it will be that need not wait for more text. */
export async function codeHighlighted() {
  do await pause();
  while (loadCount > 0);
}

export class Highlighter {
  /** @type {LineReader | null} */
  #reader = null;
  #isPlain = false;
  #isClosed = false;
  #lineCount = 0;
  /** What is to be read, and where in the first of it. @type {{ text: string, group: Group }[]} */
  #waiting = [];
  #at = 0;
  /** @type {Group | null} */
  #group = null;
  /** The line that is being read: its beginning, where it begins in its group, and how long it is. */
  #line = "";
  #lineAt = 0;
  #lineLength = 0;

  /** @param {Promise<LineReader>} loading  where it fails the code stays plain */
  constructor(loading) {
    loadCount += 1;
    const loaded = (/** @type {LineReader} */ reader) => {
      this.#reader = reader;
      workSoon(this);
    };
    loading.then(loaded, () => this.#leavePlain()).finally(() => (loadCount -= 1));
  }

  /**
   * More of the code. A line lies in one group.
   * @param {string} text
   * @param {Group} group
   */
  write(text, group) {
    if (this.#isPlain) return;
    this.#waiting.push({ text, group });
    if (this.#reader) workSoon(this);
  }

  /** The code is whole. */
  close() {
    this.#isClosed = true;
    if (this.#reader) workSoon(this);
  }

  #leavePlain() {
    this.#isPlain = true;
    this.#waiting = [];
  }

  /**
   * @param {() => boolean} hasTime
   * @returns {boolean}  whether all is read
   */
  work(hasTime) {
    let count = 0;
    for (let first = this.#waiting[0]; first && hasTime(); first = this.#waiting[count]) {
      if (this.#readSome(first)) count += 1;
    }
    this.#waiting.splice(0, count);
    if (this.#waiting.length > 0) return false;
    if (this.#isClosed && this.#lineLength > 0) this.#endLine();
    return true;
  }

  /**
   * Up to the line's end.
   * @param {{ text: string, group: Group }} piece
   * @returns {boolean}  whether that was all of it
   */
  #readSome({ text, group }) {
    if (group !== this.#group) [this.#group, this.#lineAt] = [group, 0];
    const newline = text.indexOf("\n", this.#at);
    const end = newline < 0 ? text.length : newline;
    this.#lengthen(text.slice(this.#at, end));
    if (newline >= 0) this.#endLine();
    this.#at = end + 1 < text.length ? end + 1 : 0;
    return this.#at === 0;
  }

  /** @param {string} text */
  #lengthen(text) {
    const room = MOST_LENGTH - this.#lineLength;
    this.#lineLength += text.length;
    if (room <= 0) return;
    this.#line += text.slice(0, room);
    if (text.length >= room) this.#read();
  }

  #endLine() {
    if (this.#lineLength < MOST_LENGTH) this.#read();
    this.#lineAt += this.#lineLength + 1;
    this.#lineLength = 0;
    this.#lineCount += 1;
    if (this.#lineCount === MOST_LINES) this.#leavePlain();
  }

  #read() {
    const tokens = this.#reader?.read(this.#line) ?? [];
    this.#line = "";
    this.#group?.add(tokens.map((value, at) => (at % 3 === 0 ? this.#lineAt + value : value)));
  }
}
