/** @file One answer while it is made: its text, its Stop and its figures. */

import { Batcher } from "./batcher.js";
import { EngineError, toFailure } from "./errors.js";
import { wallClock } from "./protocol.js";
import { checkSampling } from "./sampling.js";
import { Stops } from "./stops.js";

/** @import { Engine } from "./engines/engine.js" */
/** @import { EndReason, Figures, FromWorker, Generate } from "./protocol.js" */

export class Answer {
  #abort = new AbortController();
  #stops = new Stops([]);
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
    /** What the answer has already; empty unless it is continued. */
    this.before = (request.continues && request.messages.at(-1)?.content) || "";
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
   * @returns {boolean}  a stop string is complete, and so is the answer
   */
  token(text) {
    this.#lastAt = performance.now();
    this.#tokens += 1;
    if (this.#tokens === 1) this.#firstAt = this.#lastAt;
    this.batcher.push(this.#stops.push(text));
    return this.#stops.isStopped;
  }

  /**
   * Called by the engine for text that took no token of its own.
   * @param {string} text
   */
  rest(text) {
    this.batcher.push(this.#stops.push(text), 0);
  }

  /**
   * Runs the engine to the end. Never throws: what goes wrong is posted, and
   * the text made until then is kept.
   * @param {Engine} engine
   */
  async run(engine) {
    const { id, sampling } = this.request;
    try {
      checkSampling(sampling);
      checkContinues(this.request);
      this.#stops = new Stops(sampling.stop, this.before);
      const reason = await engine.generate(this.request, this);
      this.post({ type: "done", id, ...this.#last(), figures: this.#figures(reason) });
    } catch (error) {
      this.post({ type: "failed", id, ...this.#last(), failure: toFailure(error) });
    }
  }

  #last() {
    this.batcher.push(this.#stops.end(), 0);
    return this.batcher.close();
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

/** @param {Generate} request */
function checkContinues({ messages, continues }) {
  if (!continues || messages.at(-1)?.role === "assistant") return;
  throw new EngineError("not_continuable", "the last message is no answer, so it cannot be continued", "Ask first.");
}
