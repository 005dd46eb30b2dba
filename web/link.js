/** @file One worker, from its start to its end, whichever way it ends. */

import { startEngine } from "./trusted.js";

/** @import { Alive, Failure, FromWorker, ToWorker } from "../worker/protocol.js" */

/**
 * @template From  what the worker says, besides that it is alive
 * @template To    what it is told
 */
export class Link {
  #worker;
  #ended = false;
  #wasAlive = false;

  /**
   * @param {Worker} worker
   * @param {(message: From) => void} onMessage
   * @param {(wasAlive: boolean, why: string) => void} onEnded  at most once, and never after `end`
   */
  constructor(worker, onMessage, onEnded) {
    this.onMessage = onMessage;
    this.onEnded = onEnded;
    this.#worker = worker;
    this.#worker.addEventListener("message", (/** @type {MessageEvent<From | Alive>} */ { data }) => this.#receive(data));
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#lost(event.message);
    });
  }

  /** @param {To} message */
  post(message) {
    this.#worker.postMessage(message);
  }

  /** Ends the worker at once, whatever it is doing. */
  end() {
    this.#ended = true;
    this.#worker.terminate();
  }

  /** @param {From | Alive} message */
  #receive(message) {
    if (this.#ended) return;
    if (!isAlive(message)) return this.onMessage(message);
    this.#wasAlive = true;
    // Granted when the worker, which holds it for life, is gone.
    void navigator.locks.request(message.lock, () => this.#lost("")).catch(() => this.#lost(""));
  }

  /** @param {string} why */
  #lost(why) {
    if (this.#ended) return;
    this.end();
    this.onEnded(this.#wasAlive, why);
  }
}

/**
 * The engine's worker.
 * @extends {Link<FromWorker, ToWorker>}
 */
export class WorkerLink extends Link {
  /**
   * @param {(message: FromWorker) => void} onMessage
   * @param {(failure: Failure) => void} onLost  at most once, and never after `end`
   */
  constructor(onMessage, onLost) {
    super(startEngine(), onMessage, (wasAlive, why) => onLost(wasAlive ? crashed(why) : notStarted()));
  }
}

/**
 * @param {any} message
 * @returns {message is Alive}
 */
const isAlive = (message) => message.type === "alive";

/**
 * @param {string} why
 * @returns {Failure}
 */
const crashed = (why) => ({
  code: "worker_lost",
  message: `the engine's worker ended unexpectedly${why && `: ${why}`}`,
  hint: "Retry starts a new one.",
});

/** @returns {Failure} */
const notStarted = () => ({
  code: "server_gone",
  message: "the engine's worker could not be started",
  hint: "Check that pageside serve is still running, then try again.",
});
