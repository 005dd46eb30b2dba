/** @file One message of the transcript: a prompt, or an answer as it is written. */

import { actionRow } from "./actions.js";
import { DEFINITIONS, inWords, liveFigures } from "./figures.js";
import { AnswerView } from "../answer.js";
import { Painter } from "../painter.js";
import { say, sayFailure } from "../words.js";

/** @import { Failure, Figures } from "../../worker/protocol.js" */
/** @import { StoredMessage } from "../keeping/types.js" */
/** @import { Act, Branches } from "./actions.js" */

/** @typedef {"queued" | "loading" | "prefill" | "streaming" | "done" | "stopped" | "failed"} AnswerState */

/** The figures' own pace: often enough to be live, seldom enough to cost nothing. */
const FIGURES_EVERY_MS = 250;

/** Of a text that is there already: written so much at a time, code units. */
const FILL_LENGTH = 4096;

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

/** @param {StoredMessage} message */
function shell({ id, role }) {
  const article = element("article", "message", { testid: "message", role, id, state: "done" });
  const body = element("div", "body", { testid: "message-body" });
  body.dir = "auto";
  article.append(body);
  return { article, body };
}

/** What a person wrote. */
export class PromptMessage {
  /**
   * @param {StoredMessage} message
   * @param {Branches} branches
   */
  constructor(message, branches) {
    const { article, body } = shell(message);
    this.article = article;
    this.body = body;
    body.append(message.text);
    article.append(actionRow(["edit", "copy", "delete"], branches));
  }

  /** Its text is there from the start. */
  *fill() {}
}

/** An answer: its text, its state in words, its figures. */
export class AnswerMessage {
  #figures = element("p", "figures");
  #problem = element("p", "problem");
  /** @type {HTMLElement | null} */
  #actions = null;
  #tokens = 0;
  #firstAt = 0;
  #figuresAt = 0;
  /** While it is written. @type {Painter | null} */
  #painter = null;

  /**
   * @param {StoredMessage} message
   * @param {() => void} onCommit  called after each commit, in its frame
   */
  constructor(message, onCommit) {
    const { article, body } = shell(message);
    this.message = message;
    this.article = article;
    this.onCommit = onCommit;
    this.view = new AnswerView(body);
    article.append(this.#figures, this.#problem);
    this.#problem.setAttribute("role", "alert");
  }

  /** Writes the text that is there already, a piece at a time. */
  *fill() {
    const { text } = this.message;
    for (let at = 0; at < text.length; at += FILL_LENGTH) {
      this.view.write(text.slice(at, at + FILL_LENGTH));
      this.view.commit();
      yield;
    }
  }

  /** Shows an answer that was made before. */
  *restore() {
    yield* this.fill();
    const { state, figures, isInterrupted } = this.message;
    if (state === "done" || state === "stopped") this.end(state, figures);
    else this.#close();
    if (isInterrupted) this.state("stopped", say("Interrupted: the page went away while this was written"));
    if (state === "failed") this.state("failed", say("This answer failed"));
    if (state === "streaming") this.state("streaming", say("Being written in another tab"));
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
    this.#painter ??= new Painter(this.view, () => {
      this.#showRate();
      this.onCommit();
    });
    this.#painter.append(text, painted);
  }

  /**
   * @param {"done" | "stopped"} state
   * @param {Figures | null} figures  null: stopped before it began
   */
  end(state, figures) {
    this.#close();
    this.state(state, figures ? inWords(figures) : state === "stopped" ? say("Stopped") : "");
    if (figures) this.#figures.title = say(DEFINITIONS);
  }

  /** @param {Failure} failure */
  fail(failure) {
    this.#close();
    this.state("failed", "");
    this.#problem.textContent = sayFailure(failure);
  }

  #close() {
    if (this.#painter) return this.#painter.close();
    this.view.end();
    this.view.commit();
  }

  /**
   * What can be done with it now.
   * @param {Act[]} acts
   * @param {Branches} branches
   */
  offer(acts, branches) {
    const row = actionRow(acts, branches);
    if (this.#actions) this.#actions.replaceWith(row);
    else this.article.append(row);
    this.#actions = row;
  }

  #showRate() {
    const now = performance.now();
    if (now - this.#figuresAt < FIGURES_EVERY_MS || this.#tokens < 2) return;
    this.#figuresAt = now;
    const perS = (this.#tokens - 1) / ((now - this.#firstAt) / 1000);
    if (Number.isFinite(perS)) this.#figures.textContent = liveFigures(this.#tokens, perS);
  }
}
