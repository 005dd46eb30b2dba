/** @file The status line, the progress bar and the backend: what the machine is doing. */

import { describe } from "./backends.js";
import { sentence } from "./message.js";

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
    this.model.textContent = model?.name ?? "Scripted answers";
  }

  /** @param {Loading} loading */
  loading({ stage, doneBytes, totalBytes, note }) {
    this.progress.hidden = false;
    if (totalBytes > 0) {
      this.progress.max = totalBytes;
      this.progress.value = doneBytes;
    } else this.progress.removeAttribute("value");
    const amount = stage === "fetch" ? `: ${Math.round(doneBytes / MB)} of ${Math.round(totalBytes / MB)} MB` : "…";
    this.#say(`${STAGES[stage]}${amount}${note && stage === "fetch" ? ` (${note})` : ""}`);
  }

  /** @param {Fallback} fallback */
  fallback(fallback) {
    this.#fallbacks.push(fallback);
    this.#say(`Not on ${describe(fallback)}: ${fallback.reason}`);
  }

  /** @param {Ready} ready */
  ready(ready) {
    this.progress.hidden = true;
    this.backend.textContent = describe(ready);
    this.backend.title = ready.adapter;
    const why = this.#fallbacks.map((f) => `not on ${describe(f)}: ${f.reason}`).join("; ");
    this.#say(`Ready ${ready.device === "script" ? "with" : "on"} ${describe(ready)}${why && ` (${why})`}`);
  }

  /** @param {Failure} failure */
  failed({ code, message, hint }) {
    this.progress.hidden = true;
    this.#say(`${sentence(message)} ${hint}`, code !== "stopped");
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
