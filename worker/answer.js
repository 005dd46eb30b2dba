/** @file One answer while it is made: its text, its Stop and its figures. */

import { Batcher } from "./batcher.js";
import { toFailure } from "./errors.js";
import { wallClock } from "./protocol.js";

/** @import { Engine } from "./engines/engine.js" */
/** @import { EndReason, Figures, FromWorker, Generate } from "./protocol.js" */

export class Answer {
  #abort = new AbortController();
  #startedAt = performance.now();
  #firstAt = 0;
  #lastAt = 0;
  #tokens = 0;
  #promptTokens = 0;
  #reusedTokens = 0;

  /**
   * @param {Generate} request
   * @param {(message: FromWorker) => void} post
   */
  constructor(request, post) {
    this.request = request;
    this.post = post;
    this.batcher = new Batcher((batch) => {
      post({ type: "text", id: request.id, ...batch, sentAt: wallClock() });
    });
  }

  /** Aborted when the user stops this answer. */
  get signal() {
    return this.#abort.signal;
  }

  stop() {
    this.#abort.abort();
  }

  /**
   * Called by the engine once the prompt is counted.
   * @param {number} promptTokens
   * @param {number} reusedTokens
   */
  prompt(promptTokens, reusedTokens) {
    this.#promptTokens = promptTokens;
    this.#reusedTokens = reusedTokens;
  }

  /**
   * Called by the engine as the prompt is computed.
   * @param {number} done
   * @param {number} total
   */
  prefill(done, total) {
    this.post({ type: "prefill", id: this.request.id, done, total });
  }

  /**
   * Called by the engine for every token, also when it completes no character.
   * @param {string} text
   */
  token(text) {
    this.#lastAt = performance.now();
    this.#tokens += 1;
    if (this.#tokens === 1) this.#firstAt = this.#lastAt;
    this.batcher.push(text);
  }

  /**
   * Runs the engine to the end. Never throws: what goes wrong is posted, and
   * the text made until then is kept.
   * @param {Engine} engine
   */
  async run(engine) {
    const { id } = this.request;
    try {
      const reason = await engine.generate(this.request, this);
      this.post({ type: "done", id, ...this.batcher.close(), figures: this.#figures(reason) });
    } catch (error) {
      this.post({ type: "failed", id, ...this.batcher.close(), failure: toFailure(error) });
    }
  }

  /**
   * @param {EndReason} reason
   * @returns {Figures}
   */
  #figures(reason) {
    const decodeMs = this.#lastAt - this.#firstAt;
    return {
      reason,
      promptTokens: this.#promptTokens,
      reusedTokens: this.#reusedTokens,
      tokens: this.#tokens,
      ttftMs: this.#tokens > 0 ? this.#firstAt - this.#startedAt : 0,
      decodeMs,
      tokensPerS: this.#tokens > 1 ? (this.#tokens - 1) / (decodeMs / 1000) : 0,
    };
  }
}
