/**
 * @file The worker as the page sees it: loading with fallbacks, a bounded queue
 * of prompts, answers, and a Stop that works in every state.
 */

import { wallClock } from "../worker/protocol.js";
import { candidates } from "./backends.js";
import { WorkerLink } from "./link.js";

/** @import { Backend, Choice, Fallback } from "./backends.js" */
/** @import { ChatMessage, Failure, Figures, FromWorker, Loading } from "../worker/protocol.js" */
/** @import { ModelRef, Ready, Sampling } from "../worker/protocol.js" */

/**
 * @typedef {Choice & { model: ModelRef | null, script: string | null }} Settings
 *
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

/**
 * @template {Settings} S
 * @typedef {object} LoadListener
 * @property {(settings: S) => void} settings        what will be loaded
 * @property {(loading: Loading) => void} loading
 * @property {(fallback: Fallback) => void} fallback  the next backend is tried
 * @property {(ready: Ready) => void} ready
 * @property {(failure: Failure) => void} failed      loading ended; the next prompt loads again
 */

/** Prompts that may wait behind the current answer. */
export const MOST_QUEUED = 4;

/** A worker that does not hear Stop for so long is ended; the next prompt loads a new one. */
export const STOP_PATIENCE_MS = 3000;

/** @type {Failure} */
const STOPPED = { code: "stopped", message: "loading was stopped", hint: "The next prompt loads the model again." };

/** @template {Settings} [S=Settings] */
export class Client {
  /** @type {WorkerLink | null} */
  #link = null;
  /** @type {Promise<Ready> | null} */
  #ready = null;
  /** Aborts loading, with a Failure for a reason. @type {AbortController | null} */
  #loading = null;
  /**
   * Settles the attempt under way.
   * @type {{ resolve: (ready: Ready) => void, reject: (failure: Failure) => void } | null}
   */
  #attempt = null;
  /** @type {Prompt | null} */
  #current = null;
  /** @type {Prompt[]} */
  #queue = [];
  #nextId = 1;
  #startedAt = 0;
  #meanMs = 0;
  #lostGpu = false;

  /**
   * @param {() => Promise<S>} settings  asked at each loading: a server that came back may serve another model
   * @param {LoadListener<S>} listener
   */
  constructor(settings, listener) {
    this.settings = settings;
    this.listener = listener;
  }

  /** Whether an answer is being made or waits. */
  get busy() {
    return this.#current !== null;
  }

  /** Prompts behind the current answer. */
  get queueLength() {
    return this.#queue.length;
  }

  /**
   * Loads the model, once; concurrent calls share one loading.
   * @returns {Promise<Ready>}  rejects with a Failure
   */
  load() {
    this.#ready ??= this.#load();
    return this.#ready;
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
    if (this.#loading) return this.#loading.abort(STOPPED);
    const prompt = this.#current;
    if (!prompt) return;
    this.#link?.post({ type: "stop", id: prompt.id });
    setTimeout(() => this.#current === prompt && this.#impatient(), STOP_PATIENCE_MS);
  }

  /** Drops what the worker keeps of earlier conversations. */
  forget() {
    this.#link?.post({ type: "forget" });
  }

  async #load() {
    const loading = new AbortController();
    this.#loading = loading;
    try {
      const settings = await this.settings();
      this.listener.settings(settings);
      const { backends, fallbacks } = await candidates(settings);
      for (const fallback of fallbacks) this.listener.fallback(fallback);
      const left = backends.filter(({ device }) => !(this.#lostGpu && device === "webgpu"));
      const ready = await this.#tryEach(left, settings, loading.signal);
      this.listener.ready(ready);
      return ready;
    } catch (error) {
      const failure = asFailure(error);
      this.#ready = null;
      this.listener.failed(failure);
      throw failure;
    } finally {
      this.#loading = null;
    }
  }

  /**
   * Each backend gets a fresh worker: a failed start poisons the module it happened in.
   * @param {Backend[]} backends
   * @param {Settings} settings
   * @param {AbortSignal} signal
   */
  async #tryEach(backends, settings, signal) {
    for (const [i, backend] of backends.entries()) {
      try {
        return await this.#try(backend, settings, signal);
      } catch (error) {
        const failure = /** @type {Failure} */ (error);
        if (i === backends.length - 1 || !isBackendsFault(failure)) throw failure;
        this.listener.fallback({ ...backend, reason: failure.message });
      }
    }
    throw { code: "no_backend", message: "no backend is left to try", hint: "Reload the page." };
  }

  /**
   * @param {Backend} backend
   * @param {Settings} settings
   * @param {AbortSignal} signal
   */
  async #try({ device, threads }, { engine, model, script }, signal) {
    signal.throwIfAborted();
    const giveUp = () => this.#abandon(signal.reason);
    signal.addEventListener("abort", giveUp);
    try {
      return await new Promise((/** @type {(ready: Ready) => void} */ resolve, reject) => {
        this.#attempt = { resolve, reject };
        this.#link = new WorkerLink(
          (message) => this.#receive(message),
          (failure) => this.#abandon(failure),
        );
        this.#link.post({ type: "load", engine, device, threads, model, script });
      });
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.#attempt = null;
    }
  }

  /** @param {FromWorker} message */
  #receive(message) {
    switch (message.type) {
      case "loading":
        return this.listener.loading(message);
      case "ready":
        return this.#attempt?.resolve(message);
      case "failed":
        if (message.id === null) return this.#abandon(message.failure);
        return this.#ended(message.id, { ...message, state: "failed", figures: null });
      case "prefill":
        return this.#of(message.id)?.listener.prefill(message.done, message.total);
      case "text":
        return this.#of(message.id)?.listener.text(message.text, message.tokens, () => {
          this.#link?.post({ type: "painted", id: message.id, batch: message.batch });
        });
      case "done":
        return this.#ended(message.id, { ...message, state: endState(message.figures), failure: null });
    }
  }

  /** @param {number} id */
  #of(id) {
    return this.#current?.id === id ? this.#current : null;
  }

  /**
   * @param {number} id
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
    if (this.#current === prompt) this.#link?.post({ type: "generate", id, messages: messages(), sampling });
  }

  #tellPositions() {
    this.#queue.forEach(({ listener }, i) => listener.queued(i + 1, this.#meanMs ? this.#meanMs * (i + 1) : null));
  }

  /**
   * The worker is gone or of no more use: whatever waits for it ends, and the next prompt starts anew.
   * @param {Failure} failure
   */
  #abandon(failure) {
    this.#link?.end();
    this.#link = null;
    if (failure.code === "device_lost") this.#lostGpu = true;
    if (this.#attempt) return this.#attempt.reject(failure);
    this.#ready = null;
    if (this.#current) return this.#ended(this.#current.id, failed(failure));
    this.listener.failed(failure);
  }

  #impatient() {
    this.#link?.end();
    this.#link = null;
    this.#ready = null;
    if (this.#current) this.#ended(this.#current.id, stopped());
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

/**
 * Failures are thrown as they are; an Error is a defect of ours or of the browser.
 * @param {unknown} thrown
 * @returns {Failure}
 */
const asFailure = (thrown) =>
  thrown instanceof Error
    ? { code: "internal", message: thrown.message, hint: "Reload the page." }
    : /** @type {Failure} */ (thrown);

/** Whether another backend may fare better. @param {Failure} failure */
const isBackendsFault = ({ code }) =>
  ["session_failed", "wrong_answer", "device_lost", "worker_lost", "internal"].includes(code);
