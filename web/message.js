/** @file One message of the transcript. */

import { AnswerView } from "./answer.js";
import { copy } from "./copying.js";
import { Painter } from "./painter.js";
import { say, sayFailure } from "./words.js";

/** @import { Failure, Figures } from "../worker/protocol.js" */

/** @typedef {"queued" | "loading" | "prefill" | "streaming" | "done" | "stopped" | "failed"} AnswerState */

/** What the figures mean, and between which two moments they lie. */
const DEFINITIONS =
  "tokens/s: (tokens − 1) ÷ the time from the first token to the last, in the worker. " +
  "TTFT: from the worker's receipt of the prompt to its first token.";

/** The figures' own pace: often enough to be live, seldom enough to cost nothing. */
const FIGURES_EVERY_MS = 250;

/**
 * @param {string} name
 * @param {string} className
 * @param {Record<string, string>} [data]
 * @returns {HTMLElement}
 */
function element(name, className, data = {}) {
  const made = document.createElement(name);
  made.className = className;
  Object.assign(made.dataset, data);
  return made;
}

/**
 * @param {"user" | "assistant"} role
 */
function shell(role) {
  const article = element("article", "message", { testid: "message", role, state: "done" });
  const body = element("div", "body", { testid: "message-body" });
  body.dir = "auto";
  article.append(body);
  return { article, body };
}

/** @param {string} text */
export function userMessage(text) {
  const { article, body } = shell("user");
  body.append(text);
  return article;
}

/** An answer: its text, its state in words, its figures. */
export class AnswerMessage {
  #figures = element("p", "figures");
  #problem = element("p", "problem");
  #tokens = 0;
  #firstAt = 0;
  #figuresAt = 0;

  /**
   * @param {() => void} onCommit  called after each commit, in its frame
   * @param {() => boolean} onRetry  false: not now
   * @param {() => string} said  the answer's text, as the model wrote it
   */
  constructor(onCommit, onRetry, said) {
    const { article, body } = shell("assistant");
    this.article = article;
    this.onRetry = onRetry;
    this.said = said;
    this.painter = new Painter(new AnswerView(body), () => {
      this.#showRate();
      onCommit();
    });
    article.append(this.#figures, this.#problem);
    this.#problem.setAttribute("role", "alert");
  }

  /**
   * @param {AnswerState} state
   * @param {string} words  what the machine is doing, for the user
   */
  state(state, words) {
    this.article.dataset["state"] = state;
    this.#figures.textContent = words;
  }

  /**
   * @param {string} text
   * @param {number} tokens
   * @param {() => void} painted
   */
  append(text, tokens, painted) {
    this.#tokens += tokens;
    this.#firstAt ||= performance.now();
    this.painter.append(text, painted);
  }

  /**
   * @param {"done" | "stopped"} state
   * @param {Figures | null} figures  null: stopped before it began
   */
  end(state, figures) {
    this.painter.close();
    this.#offerCopy();
    this.state(state, figures ? inWords(figures) : say("Stopped"));
    this.#figures.title = say(DEFINITIONS);
  }

  /** @param {Failure} failure */
  fail(failure) {
    this.painter.close();
    this.#offerCopy();
    this.state("failed", "");
    this.#problem.append(`${sayFailure(failure)} `);
    const retry = document.createElement("button");
    retry.type = "button";
    retry.textContent = say("Retry");
    retry.addEventListener("click", () => {
      if (this.onRetry()) retry.remove();
    });
    this.#problem.append(retry);
  }

  #offerCopy() {
    const text = this.said(); // a retry begins it anew
    if (text === "") return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.dataset["testid"] = "copy-message";
    button.setAttribute("aria-label", say("Copy this answer"));
    button.textContent = say("Copy");
    button.addEventListener("click", () => copy(text, button));
    this.#figures.after(button);
  }

  #showRate() {
    const now = performance.now();
    if (now - this.#figuresAt < FIGURES_EVERY_MS || this.#tokens < 2) return;
    this.#figuresAt = now;
    const perS = (this.#tokens - 1) / ((now - this.#firstAt) / 1000);
    if (Number.isFinite(perS)) this.#figures.textContent = `${counted(this.#tokens)} · ${rate(perS)}`;
  }
}

/** @param {Figures} figures */
function inWords({ reason, tokens, tokensPerS, ttftMs, promptTokens, reusedTokens }) {
  const parts = [counted(tokens)];
  if (tokensPerS > 0) parts.push(rate(tokensPerS));
  if (ttftMs > 0) parts.push(say("TTFT {seconds} s", { seconds: (ttftMs / 1000).toFixed(2) }));
  if (promptTokens > 0) parts.push(ofPrompt(promptTokens, reusedTokens));
  if (reason === "stopped") parts.push(say("stopped"));
  if (reason === "length") parts.push(say("ended at its limit"));
  return parts.join(" · ");
}

/** @param {number} count */
const counted = (count) => (count === 1 ? say("{count} token", { count }) : say("{count} tokens", { count }));

/** @param {number} perS */
const rate = (perS) => say("{rate} tokens/s", { rate: perS.toFixed(1) });

/**
 * @param {number} count
 * @param {number} reused
 */
function ofPrompt(count, reused) {
  return reused ? say("{count} in the prompt, {reused} reused", { count, reused }) : say("{count} in the prompt", { count });
}
