/** @file Reads code line by line: which part of each line is of which kind. */

import { kindOf } from "./kinds.js";

/**
 * A line, as @codemirror/streamparser reads it.
 * @typedef {{
 *   string: string, pos: number, start: number, eol(): boolean, sol(): boolean, peek(): string | undefined,
 *   next(): string | undefined, eat(what: string | RegExp): string | undefined, eatWhile(what: RegExp): boolean,
 *   skipToEnd(): void, match(what: string | RegExp, consume?: boolean, caseInsensitive?: boolean): any, current(): string,
 * }} Stream
 */

/**
 * A language, as @codemirror/legacy-modes reads it.
 * @typedef {{
 *   token(stream: Stream, state: any): string | null | undefined, blankLine?(state: any, indentUnit: number): void,
 *   startState?(indentUnit: number): any,
 * }} Mode
 */

/** Parts of a text: for each its start, its length and its kind. @typedef {number[]} Tokens */

/** Of a longer line the rest is plain: modes look ahead, some to the line's end at every token. */
export const MOST_LENGTH = 2000;

const [TAB, INDENT] = [4, 2];
/** A mode may change its state and read nothing, but not for ever. */
const MOST_IDLE = 10;

export class LineReader {
  #state;

  /**
   * @param {Mode} mode
   * @param {new (line: string, tab: number, indent: number) => Stream} Stream
   */
  constructor(mode, Stream) {
    this.mode = mode;
    this.Stream = Stream;
    this.#state = startState(mode);
  }

  /**
   * The next line, whole. What a mode cannot read, it starts anew after.
   * @param {string} line
   * @returns {Tokens}
   */
  read(line) {
    /** @type {Tokens} */
    const tokens = [];
    try {
      this.#tokenise(line, tokens);
    } catch {
      this.#state = startState(this.mode);
    }
    return tokens;
  }

  /**
   * @param {string} line
   * @param {Tokens} tokens
   */
  #tokenise(line, tokens) {
    const stream = new this.Stream(line.slice(0, MOST_LENGTH), TAB, INDENT);
    settle(this.mode, stream);
    if (line === "") this.mode.blankLine?.(this.#state, INDENT);
    while (!stream.eol()) {
      const kind = kindOf(this.#token(stream));
      if (kind >= 0) add(tokens, stream.start, stream.pos - stream.start, kind);
    }
  }

  /** @param {Stream} stream */
  #token(stream) {
    stream.start = stream.pos;
    for (let count = 0; count < MOST_IDLE; count += 1) {
      const tag = this.mode.token(stream, this.#state);
      if (stream.pos > stream.start) return tag;
    }
    throw new Error("the mode does not advance");
  }
}

/**
 * Some modes keep a little beside their state: it is made the same before every line, whatever other code
 * has been read.
 * @param {Mode} mode
 * @param {Stream} stream  another is made like it
 */
export function settle(mode, stream) {
  const Stream = /** @type {new (line: string, tab: number, indent: number) => Stream} */ (stream.constructor);
  mode.token(new Stream("x", TAB, INDENT), startState(mode));
}

/** @param {Mode} mode */
export function startState(mode) {
  return mode.startState?.(INDENT) ?? true;
}

/**
 * @param {Tokens} tokens
 * @param {number} start
 * @param {number} length
 * @param {number} kind
 */
function add(tokens, start, length, kind) {
  const last = tokens.length - 3;
  const [lastStart = 0, lastLength = 0, lastKind] = tokens.slice(last);
  if (last >= 0 && lastKind === kind && lastStart + lastLength === start) tokens[last + 1] = lastLength + length;
  else tokens.push(start, length, kind);
}
