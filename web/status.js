/** @file The status line, the progress bar and the backend: what the machine is doing. */

import { describe } from "./backends.js";
import { say, sayFailure } from "./words.js";

/** @import { Fallback } from "./backends.js" */
/** @import { LoadListener } from "./loader.js" */
/** @import { ServedSettings } from "./settings.js" */
/** @import { Failure, Loading, Ready } from "../worker/protocol.js" */

const STAGES = {
  fetch: "Fetching the model",
  verify: "Checking its hash",
  session: "Starting the engine",
  "warm-up": "Warming up",
};

const MB = 1e6;

/** @implements {LoadListener<ServedSettings>} */
export class Status {
  /** @type {Fallback[]} */
  #fallbacks = [];

  /**
   * @param {object} elements
   * @param {HTMLElement} elements.line
   * @param {HTMLElement} elements.model
   * @param {HTMLElement} elements.backend
   * @param {HTMLProgressElement} elements.progress
   */
  constructor({ line, model, backend, progress }) {
    this.line = line;
    this.model = model;
    this.backend = backend;
    this.progress = progress;
  }

  /** @param {ServedSettings} settings */
  settings({ model }) {
    this.#fallbacks = [];
    this.model.textContent = model?.name ?? say("Scripted answers");
  }

  /** @param {Loading} loading */
  loading({ stage, doneBytes, totalBytes, note }) {
    this.progress.hidden = false;
    if (totalBytes > 0) {
      this.progress.max = totalBytes;
      this.progress.value = doneBytes;
    } else this.progress.removeAttribute("value");
    const [done, total] = [Math.round(doneBytes / MB), Math.round(totalBytes / MB)];
    const amount = stage === "fetch" ? say(": {done} of {total} MB", { done, total }) : "…";
    this.#say(`${say(STAGES[stage])}${amount}${note && stage === "fetch" ? ` (${note})` : ""}`);
  }

  /** @param {Fallback} fallback */
  fallback(fallback) {
    this.#fallbacks.push(fallback);
    this.#say(say("Not on {backend}: {reason}", inWords(fallback)));
  }

  /** @param {Ready} ready */
  ready(ready) {
    this.progress.hidden = true;
    this.backend.textContent = describe(ready);
    this.backend.title = ready.adapter;
    const why = this.#fallbacks.map((fallback) => say("not on {backend}: {reason}", inWords(fallback))).join("; ");
    const backend = describe(ready);
    const words = ready.device === "script" ? say("Ready with {backend}", { backend }) : say("Ready on {backend}", { backend });
    this.#say(`${words}${why && ` (${why})`}`);
  }

  /** @param {Failure} failure */
  failed(failure) {
    this.progress.hidden = true;
    this.#say(sayFailure(failure), failure.code !== "stopped");
  }

  /**
   * @param {string} text
   * @param {boolean} [isBad]
   */
  #say(text, isBad = false) {
    if (this.line.textContent !== text) this.line.textContent = text;
    this.line.parentElement?.classList.toggle("bad", isBad);
  }
}

/** @param {Fallback} fallback */
const inWords = (fallback) => ({ backend: describe(fallback), reason: say(fallback.reason) });
