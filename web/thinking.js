/** @file What a model thinks before it answers: `<think>…</think>`, told apart while it streams. */

const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * Parts an answer's text. Thinking is only what an answer begins with; a tag in code is part of it.
 * Every character goes to one of the two, in order, but for the tags and the empty lines at them.
 */
export class ThinkingSplitter {
  #place = /** @type {"start" | "thinking" | "gap" | "answer"} */ ("start");
  #held = "";
  #code = new CodeTracker();

  /**
   * @param {(text: string) => void} onThinking
   * @param {(text: string) => void} onAnswer
   */
  constructor(onThinking, onAnswer) {
    this.onThinking = onThinking;
    this.onAnswer = onAnswer;
  }

  /** Whether the model is thinking now. */
  get isThinking() {
    return this.#place === "thinking";
  }

  /** @param {string} text */
  write(text) {
    this.#held += text;
    if (this.#place === "start") this.#begin();
    if (this.#place === "thinking") this.#think();
    if (this.#place === "gap") this.#passGap();
    if (this.#place === "answer") this.#flush(this.onAnswer);
  }

  /** The text is whole. */
  end() {
    this.#flush(this.#place === "thinking" ? this.onThinking : this.onAnswer);
  }

  /** @param {(text: string) => void} take */
  #flush(take) {
    const text = this.#held;
    this.#held = "";
    if (text) take(text);
  }

  #begin() {
    const text = this.#held.trimStart();
    if (text.startsWith(OPEN)) {
      this.#held = text.slice(OPEN.length);
      this.#place = "thinking";
    } else if (!OPEN.startsWith(text)) this.#place = "answer";
  }

  #think() {
    const end = this.#code.find(this.#held, CLOSE);
    const text = this.#held.slice(0, end.at);
    this.#held = this.#held.slice(end.at);
    if (text) this.onThinking(text);
    if (!end.isFound) return;
    this.#held = this.#held.slice(CLOSE.length);
    this.#place = "gap";
  }

  #passGap() {
    this.#held = this.#held.replace(/^\s+/, "");
    if (this.#held) this.#place = "answer";
  }
}

/** Whether a text, read as it comes, is in code: in a fence, or between two runs of backticks alike. */
class CodeTracker {
  /** The fence that is open, and the run of backticks. */
  #fence = "";
  #run = "";
  #isLineStart = true;

  /**
   * Reads up to where `tag` stands outside of code, or up to what may become it or a run of backticks.
   * @param {string} text
   * @param {string} tag
   * @returns {{ at: number, isFound: boolean }}
   */
  find(text, tag) {
    let at = 0;
    while (at < text.length) {
      const rest = text.slice(at, at + tag.length);
      // At a line's start it is meant, even if a backtick was left open before it.
      const isOutside = !this.#fence && (!this.#run || this.#isLineStart);
      if (isOutside && rest === tag) return { at, isFound: true };
      if (isOutside && tag.startsWith(rest)) break;
      const run = /^(?:`+|~+)/.exec(text.slice(at, at + 64))?.[0];
      if (run && at + run.length === text.length) break;
      if (run) this.#mark(run);
      else this.#pass(text.charAt(at), text.charAt(at + 1));
      at += run?.length ?? 1;
    }
    return { at, isFound: false };
  }

  /** @param {string} run */
  #mark(run) {
    const isFence = this.#isLineStart && run.length >= 3;
    this.#isLineStart = false;
    if (this.#fence) {
      if (isFence && run.startsWith(this.#fence)) this.#fence = "";
    } else if (isFence) this.#fence = run;
    else if (run.startsWith("~")) return;
    else if (this.#run === run) this.#run = "";
    else this.#run ||= run;
  }

  /**
   * @param {string} char
   * @param {string} next
   */
  #pass(char, next) {
    if (char === "\n") {
      // A paragraph's end ends its code.
      if (this.#isLineStart || next === "\n") this.#run = "";
      this.#isLineStart = true;
    } else if (char !== " ") this.#isLineStart = false;
  }
}

/** The answer without what was thought. @param {string} text */
export function answerOf(text) {
  let answer = "";
  const splitter = new ThinkingSplitter(
    () => undefined,
    (part) => (answer += part),
  );
  splitter.write(text);
  splitter.end();
  return answer;
}
