/** @file The model as the page sees it: a bounded queue of prompts, answers, and a Stop that works in every state. */

import { unreachable, wallClock } from "../worker/protocol.js";
import { Counter } from "./counter.js";
import { taps } from "./gauges/taps.js";
import { Loader } from "./loader.js";

/** @import { ChatMessage, Failure, Figures, FromWorker, Ready, Sampling, TokenCount } from "../worker/protocol.js" */
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
 * @property {boolean} continues
 * @property {AnswerListener} listener
 */

/** Prompts that may wait behind the current answer. */
export const MOST_QUEUED = 4;

/** A worker that does not hear Stop for so long is ended; the next prompt loads a new one. */
export const STOP_PATIENCE_MS = 3000;

/** @template {Settings} [S=Settings] */
export class Client {
  #loader;
  #counter = new Counter((message) => this.#loader.post(message));
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
      (failure) => this.#lost(failure),
    );
  }

  /** What the model runs on, with its context window; null while none is loaded. @returns {Ready | null} */
  get ready() {
    return this.#loader.ready;
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
   * @param {{ continues?: boolean }} [options]  continues: the last message is an answer, which goes on
   */
  ask(messages, sampling, listener, { continues = false } = {}) {
    this.#queue.push({ id: this.#nextId++, messages, sampling, continues, listener });
    if (this.#current) this.#tellPositions();
    else void this.#next();
  }

  /** Stops the current answer and those that wait, and loading too. */
  stop() {
    for (const { listener } of this.#queue.splice(0)) listener.ended(stopped());
    this.#stopCurrent();
  }

  #stopCurrent() {
    if (this.#loader.isLoading) return this.#loader.stop();
    const prompt = this.#current;
    if (!prompt) return;
    this.#loader.post({ type: "stop", id: prompt.id });
    setTimeout(() => this.#current === prompt && this.#giveUp(prompt), STOP_PATIENCE_MS);
  }

  /**
   * Ends one prompt, which waits or is being answered; its listener is told that it was stopped. The others go on.
   * @param {AnswerListener} listener
   * @returns {boolean}  false: it has ended
   */
  cancel(listener) {
    if (this.#current?.listener === listener) {
      this.#stopCurrent();
      return true;
    }
    const at = this.#queue.findIndex((prompt) => prompt.listener === listener);
    if (at < 0) return false;
    this.#queue.splice(at, 1);
    listener.ended(stopped());
    this.#tellPositions();
    return true;
  }

  /**
   * @param {string} text
   * @returns {Promise<TokenCount | null>}  null: no model is loaded, or a newer text was asked about
   */
  count(text) {
    return this.ready ? this.#counter.count(text) : Promise.resolve(null);
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
    const { id, messages, sampling, continues } = prompt;
    if (this.#current === prompt) this.#loader.post({ type: "generate", id, messages: messages(), sampling, continues });
  }

  /** @param {FromWorker} message */
  #receive(message) {
    switch (message.type) {
      case "prefill":
        return this.#of(message.id)?.listener.prefill(message.done, message.total);
      case "text":
        taps.text?.(message);
        return this.#of(message.id)?.listener.text(message.text, message.tokens, () => {
          taps.painted?.(message);
          this.#loader.post({ type: "painted", id: message.id, batch: message.batch });
        });
      case "done":
        return this.#ended(message.id, { ...message, state: endState(message.figures), failure: null });
      case "failed":
        return this.#ended(message.id, { ...message, state: "failed", figures: null });
      case "counted":
        return this.#counter.counted(message);
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

  /** @param {Failure} failure */
  #lost(failure) {
    this.#counter.lost();
    if (this.#current) this.#ended(this.#current.id, failed(failure));
  }

  #tellPositions() {
    this.#queue.forEach(({ listener }, i) => listener.queued(i + 1, this.#meanMs ? this.#meanMs * (i + 1) : null));
  }

  /** @param {Prompt} prompt  whose Stop was not heard */
  #giveUp(prompt) {
    this.#loader.discard();
    this.#counter.lost();
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
