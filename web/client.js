/** @file The model as the page sees it: a bounded queue of prompts, answers, and a Stop that works in every state. */

import { unreachable, wallClock } from "../worker/protocol.js";
import { Loader } from "./loader.js";

/** @import { ChatMessage, Failure, Figures, FromWorker, Sampling } from "../worker/protocol.js" */
/** @import { LoadListener, Settings } from "./loader.js" */

/**
 * @typedef {object} AnswerListener
 * @property {(position: number, waitMs: number | null) => void} queued  1: next; null: no answer yet to judge by
 * @property {() => void} loading
 * @property {(done: number, total: number) => void} prefill
 * @property {(text: string, tokens: number, painted: () => void) => void} text  call `painted` once it is on the screen
 * @property {(end: AnswerEnd) => void} ended        last call
 *
 * @typedef {object} AnswerEnd
 * @property {"done" | "stopped" | "failed"} state
 * @property {string} text               the last text; needs no acknowledgement
 * @property {number} tokens
 * @property {Figures | null} figures
 * @property {Failure | null} failure
 *
 * @typedef {object} Prompt  one answer wanted
 * @property {number} id
 * @property {() => ChatMessage[]} messages  read when its turn comes
 * @property {Sampling} sampling
 * @property {AnswerListener} listener
 */

/** Prompts that may wait behind the current answer. */
export const MOST_QUEUED = 4;

/** A worker that does not hear Stop for so long is ended; the next prompt loads a new one. */
export const STOP_PATIENCE_MS = 3000;

/** @template {Settings} [S=Settings] */
export class Client {
  #loader;
  /** @type {Prompt | null} */
  #current = null;
  /** @type {Prompt[]} */
  #queue = [];
  #nextId = 1;
  #startedAt = 0;
  #meanMs = 0;

  /**
   * @param {(signal: AbortSignal) => Promise<S>} settings
   * @param {LoadListener<S>} listener
   */
  constructor(settings, listener) {
    this.#loader = new Loader(
      settings,
      listener,
      (message) => this.#receive(message),
      (failure) => this.#current && this.#ended(this.#current.id, failed(failure)),
    );
  }

  /** Whether an answer is being made or waits. */
  get busy() {
    return this.#current !== null;
  }

  /** Prompts behind the current answer. */
  get queueLength() {
    return this.#queue.length;
  }

  /** Loads the model, once; rejects with a Failure. */
  load() {
    return this.#loader.load();
  }

  /**
   * @param {() => ChatMessage[]} messages  read when its turn comes, so that it sees the answers before it
   * @param {Sampling} sampling
   * @param {AnswerListener} listener
   */
  ask(messages, sampling, listener) {
    this.#queue.push({ id: this.#nextId++, messages, sampling, listener });
    if (this.#current) this.#tellPositions();
    else void this.#next();
  }

  /** Stops the current answer and those that wait, and loading too. */
  stop() {
    for (const { listener } of this.#queue.splice(0)) listener.ended(stopped());
    if (this.#loader.isLoading) return this.#loader.stop();
    const prompt = this.#current;
    if (!prompt) return;
    this.#loader.post({ type: "stop", id: prompt.id });
    setTimeout(() => this.#current === prompt && this.#giveUp(prompt), STOP_PATIENCE_MS);
  }

  /** Drops what the worker keeps of earlier conversations. */
  forget() {
    this.#loader.post({ type: "forget" });
  }

  async #next() {
    const prompt = this.#queue.shift();
    if (!prompt) return;
    this.#current = prompt;
    this.#startedAt = wallClock();
    this.#tellPositions();
    prompt.listener.loading();
    try {
      await this.load();
    } catch (error) {
      const failure = /** @type {Failure} */ (error);
      return this.#ended(prompt.id, failure.code === "stopped" ? stopped() : failed(failure));
    }
    const { id, messages, sampling } = prompt;
    if (this.#current === prompt) this.#loader.post({ type: "generate", id, messages: messages(), sampling });
  }

  /** @param {FromWorker} message */
  #receive(message) {
    switch (message.type) {
      case "prefill":
        return this.#of(message.id)?.listener.prefill(message.done, message.total);
      case "text":
        return this.#of(message.id)?.listener.text(message.text, message.tokens, () => {
          this.#loader.post({ type: "painted", id: message.id, batch: message.batch });
        });
      case "done":
        return this.#ended(message.id, { ...message, state: endState(message.figures), failure: null });
      case "failed":
        return this.#ended(message.id, { ...message, state: "failed", figures: null });
      case "alive":
      case "loading":
      case "ready":
        return; // the loader's
      default:
        return unreachable(message);
    }
  }

  /** @param {number | null} id */
  #of(id) {
    return this.#current?.id === id ? this.#current : null;
  }

  /**
   * @param {number | null} id
   * @param {AnswerEnd} end
   */
  #ended(id, { state, text, tokens, figures, failure }) {
    const prompt = this.#of(id);
    if (!prompt) return;
    const tookMs = wallClock() - this.#startedAt;
    this.#meanMs = this.#meanMs ? (this.#meanMs + tookMs) / 2 : tookMs;
    this.#current = null;
    prompt.listener.ended({ state, text, tokens, figures, failure });
    void this.#next();
  }

  #tellPositions() {
    this.#queue.forEach(({ listener }, i) => listener.queued(i + 1, this.#meanMs ? this.#meanMs * (i + 1) : null));
  }

  /** @param {Prompt} prompt  whose Stop was not heard */
  #giveUp(prompt) {
    this.#loader.discard();
    this.#ended(prompt.id, stopped());
  }
}

/** @param {Figures} figures */
const endState = ({ reason }) => (reason === "stopped" ? "stopped" : "done");

/** @returns {AnswerEnd} */
const stopped = () => ({ state: "stopped", text: "", tokens: 0, figures: null, failure: null });

/**
 * @param {Failure} failure
 * @returns {AnswerEnd}
 */
const failed = (failure) => ({ state: "failed", text: "", tokens: 0, figures: null, failure });
