/** @file One worker, from its start to its end, whichever way it ends. */

/** @import { Failure, FromWorker, ToWorker } from "../worker/protocol.js" */

const WORKER = new URL("../worker/worker.js", import.meta.url).href;

/**
 * @typedef {{ createScriptURL: (url: string) => string }} ScriptUrlRules
 *
 * @typedef {object} TrustedTypePolicyFactory  not yet in TypeScript's own library
 * @property {(name: string, rules: ScriptUrlRules) => ScriptUrlRules} createPolicy
 */

/** The page's only Trusted Types policy lets one constant pass. */
const policy = /** @type {{ trustedTypes?: TrustedTypePolicyFactory }} */ (
  /** @type {unknown} */ (globalThis)
).trustedTypes?.createPolicy("pageside", {
  createScriptURL(url) {
    if (url !== WORKER) throw new TypeError(`not the worker's address: ${url}`);
    return url;
  },
});

export class WorkerLink {
  #worker;
  #ended = false;
  #wasAlive = false;

  /**
   * @param {(message: FromWorker) => void} onMessage
   * @param {(failure: Failure) => void} onLost  at most once, and never after `end`
   */
  constructor(onMessage, onLost) {
    this.onMessage = onMessage;
    this.onLost = onLost;
    this.#worker = new Worker(policy?.createScriptURL(WORKER) ?? WORKER, { type: "module", name: "pageside" });
    this.#worker.addEventListener("message", (/** @type {MessageEvent<FromWorker>} */ { data }) => this.#receive(data));
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#lost(event.message);
    });
  }

  /** @param {ToWorker} message */
  post(message) {
    this.#worker.postMessage(message);
  }

  /** Ends the worker at once, whatever it is doing. */
  end() {
    this.#ended = true;
    this.#worker.terminate();
  }

  /** @param {FromWorker} message */
  #receive(message) {
    if (this.#ended) return;
    if (message.type !== "alive") return this.onMessage(message);
    this.#wasAlive = true;
    // Granted when the worker, which holds it for life, is gone.
    void navigator.locks.request(message.lock, () => this.#lost("")).catch(() => this.#lost(""));
  }

  /** @param {string} why */
  #lost(why) {
    if (this.#ended) return;
    this.end();
    this.onLost(this.#wasAlive ? crashed(why) : notStarted());
  }
}

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
