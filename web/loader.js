/** @file Loading: the backends in their order, each in a fresh worker, until one is ready. */

import { candidates } from "./backends.js";
import { WorkerLink } from "./link.js";

/** @import { Backend, Choice, Fallback } from "./backends.js" */
/** @import { Failure, FromWorker, Loading, ModelRef, Ready, ToWorker } from "../worker/protocol.js" */

/**
 * @typedef {Choice & { model: ModelRef | null, script: string | null }} Settings
 */

/**
 * @template {Settings} S
 * @typedef {object} LoadListener
 * @property {(settings: S) => void} settings         what will be loaded
 * @property {(loading: Loading) => void} loading
 * @property {(fallback: Fallback) => void} fallback  the next backend is tried
 * @property {(ready: Ready) => void} ready
 * @property {(failure: Failure) => void} failed      there is no worker; the next `load` starts anew
 */

/** @type {Failure} */
const STOPPED = { code: "stopped", message: "loading was stopped", hint: "The next prompt loads the model again." };

/**
 * Owns the worker: from the first attempt until it is lost or given up.
 * @template {Settings} [S=Settings]
 */
export class Loader {
  /** @type {WorkerLink | null} */
  #link = null;
  /** @type {Promise<Ready> | null} */
  #loaded = null;
  /** What the loaded worker runs on; null while there is none. @type {Ready | null} */
  ready = null;
  /** Aborts the loading under way, with a Failure for a reason. @type {AbortController | null} */
  #loading = null;
  #lostGpu = false;

  /**
   * @param {(signal: AbortSignal) => Promise<S>} settings  asked at each loading: a server that came back may serve another model
   * @param {LoadListener<S>} listener
   * @param {(message: FromWorker) => void} onMessage  what is not about loading
   * @param {(failure: Failure) => void} onLost  a loaded worker is gone or of no more use
   */
  constructor(settings, listener, onMessage, onLost) {
    this.settings = settings;
    this.listener = listener;
    this.onMessage = onMessage;
    this.onLost = onLost;
  }

  get isLoading() {
    return this.#loading !== null;
  }

  /**
   * Loads once; concurrent calls share one loading.
   * @returns {Promise<Ready>}  rejects with a Failure
   */
  load() {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  /** Stops loading; the promise of `load` rejects. */
  stop() {
    this.#loading?.abort(STOPPED);
  }

  /** @param {ToWorker} message */
  post(message) {
    this.#link?.post(message);
  }

  /** Ends the worker; the next `load` starts another. */
  discard() {
    this.#link?.end();
    this.#link = null;
    this.#loaded = null;
    this.ready = null;
  }

  async #load() {
    const loading = new AbortController();
    this.#loading = loading;
    try {
      const stopped = aborted(loading.signal);
      const settings = await Promise.race([this.settings(loading.signal), stopped]);
      this.listener.settings(settings);
      const { backends, fallbacks } = await Promise.race([candidates(settings), stopped]);
      for (const fallback of fallbacks) this.listener.fallback(fallback);
      const left = backends.filter(({ device }) => !(this.#lostGpu && device === "webgpu"));
      const ready = await this.#tryEach(left, settings, loading.signal);
      this.ready = ready;
      this.listener.ready(ready);
      return ready;
    } catch (error) {
      const failure = asFailure(error);
      this.discard();
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
    let left = backends;
    for (let backend = left[0]; backend; backend = left[0]) {
      try {
        return await this.#try(backend, settings, signal);
      } catch (error) {
        const failure = asFailure(error);
        left = left.slice(1);
        // What an engine lacks it lacks with any number of threads.
        const { engine } = backend;
        if (failure.code === "model_unsupported") left = left.filter((other) => other.engine !== engine);
        if (!left.length || !isBackendsFault(failure)) throw failure;
        this.listener.fallback({ ...backend, reason: failure.message });
      }
    }
    throw { code: "no_backend", message: "no backend is left to try", hint: "Reload the page." };
  }

  /**
   * @param {Backend} backend
   * @param {Settings} settings
   * @param {AbortSignal} signal
   * @returns {Promise<Ready>}
   */
  #try({ engine, device, threads }, { model, script }, signal) {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      /** @param {Failure} failure */
      const lost = (failure) => {
        signal.removeEventListener("abort", giveUp);
        link.end();
        if (this.#loading) reject(failure);
        else this.#lost(failure);
      };
      const giveUp = () => lost(signal.reason);
      const link = new WorkerLink((message) => {
        if (message.type === "ready") resolve(message);
        else if (message.type === "failed" && message.id === null) lost(message.failure);
        else if (message.type === "loading") this.listener.loading(message);
        else this.onMessage(message);
      }, lost);
      signal.addEventListener("abort", giveUp);
      this.#link = link;
      link.post({ type: "load", engine, device, threads, model, script });
    });
  }

  /** @param {Failure} failure */
  #lost(failure) {
    if (failure.code === "device_lost") this.#lostGpu = true;
    this.discard();
    this.listener.failed(failure);
    this.onLost(failure);
  }
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}  rejects with the reason once the signal aborts
 */
function aborted(signal) {
  /** @type {Promise<never>} */
  const promise = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  promise.catch(() => undefined); // nobody may be waiting for it any more
  return promise;
}

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
  [
    ...["session_failed", "wrong_answer", "model_unsupported", "memory_refused"],
    ...["device_lost", "worker_lost", "internal"],
  ].includes(code);
