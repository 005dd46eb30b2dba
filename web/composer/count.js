/** @file How many tokens the prompt has, and whether they fit. */

import { isChinese, say } from "../words.js";

/** Counting is the worker's; a line that changes with every key is read by nobody. */
const REST_MS = 300;

/**
 * The worker may stop counting where it knows enough.
 * @typedef {{ tokens: number, isAtLeast: boolean }} Counted
 */

export class PromptCount {
  #timer = 0;
  /** Of the newest text; the count of an older one may still come. */
  #turn = 0;

  /**
   * @param {HTMLElement} element  shows it, and gets the class `over` when it will not fit
   * @param {(text: string) => Promise<Counted | null>} count  null: cannot be told now
   * @param {() => number} before  tokens of the conversation so far
   * @param {() => number | null} contextWindow  in tokens; null: not known
   */
  constructor(element, count, before, contextWindow) {
    this.element = element;
    this.count = count;
    this.before = before;
    this.contextWindow = contextWindow;
  }

  /** @param {string} text  what the prompt holds now */
  changed(text) {
    clearTimeout(this.#timer);
    this.#turn += 1;
    if (this.element.textContent !== "") this.#show("", false);
    if (text.trim() === "") return;
    const turn = this.#turn;
    this.#timer = setTimeout(() => this.#count(text, turn), REST_MS);
  }

  /**
   * @param {string} text
   * @param {number} turn
   */
  async #count(text, turn) {
    const counted = await this.count(text);
    if (counted === null || turn !== this.#turn) return;
    const [before, window] = [this.before(), this.contextWindow()];
    const isOver = window !== null && before + counted.tokens >= window; // an answer needs a token, too
    this.#show(inWords(counted, before, window, isOver), isOver);
  }

  /**
   * @param {string} words
   * @param {boolean} isOver
   */
  #show(words, isOver) {
    this.element.textContent = words;
    this.element.classList.toggle("over", isOver);
  }
}

/**
 * @param {Counted} counted
 * @param {number} before
 * @param {number | null} window
 * @param {boolean} isOver
 */
function inWords({ tokens, isAtLeast }, before, window, isOver) {
  const sign = isAtLeast ? "≥ " : "";
  const [count, total] = [tokens, before + tokens].map((number) => sign + grouped(number));
  const all = { count: count ?? "", total: total ?? "", window: grouped(window ?? 0) };
  if (window === null) return tokens === 1 && !isAtLeast ? say("{count} token", all) : say("{count} tokens", all);
  if (!isOver && before === 0) return say("{count} of {window} tokens", all);
  if (!isOver) return say("{count} tokens; with the conversation {total} of {window}", all);
  if (before === 0) return say("{count} of {window} tokens: too long for this model. Shorten it", all);
  return say("With the conversation {total} of {window} tokens: too long. Shorten it, or start a new chat", all);
}

/** @param {number} number */
const grouped = (number) => number.toLocaleString(isChinese ? "zh-CN" : "en");
