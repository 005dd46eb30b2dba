/** @file From messages to tokens, with whatever computes the logits: what all engines of real models share. */

import { Detokenizer } from "../detokenizer.js";
import { EngineError } from "../errors.js";
import { argmax, Sampler } from "../sampler.js";
import { macrotask } from "../turn.js";
import { Encoder } from "./encoder.js";
import { Said } from "./said.js";

/** @import { Answer } from "../answer.js" */
/** @import { Vocabulary } from "../detokenizer.js" */
/** @import { ChatMessage, EndReason, Generate, TokenCount } from "../protocol.js" */
/** @import { Manifest } from "../weights.js" */
/** @import { Tokenizer } from "./runtime.js" */

/** A small model can go on for ever; unless told otherwise it ends here. */
const MOST_TOKENS = 1024;

/**
 * @typedef {object} Session  the model's forward pass, with what it keeps of the tokens so far
 * @property {number} chunk  the most prompt tokens of one step: what bounds how long Stop waits
 * @property {(ids: number[]) => number} reuse
 *   Drops what is not a beginning of `ids`; how many of them need not be computed. The last must.
 * @property {(ids: number[]) => Promise<Float32Array>} step
 *   Appends ids; the last position's logits, [vocabulary], valid until the next step.
 * @property {() => void} reset
 */

export class Chat {
  /** @type {Said | null} */
  #said = null;
  #encoder;

  /**
   * @param {Tokenizer} tokenizer
   * @param {Vocabulary} vocabulary
   * @param {Session} session
   * @param {Set<number>} ends  ids that end an answer
   * @param {number} contextWindow
   */
  constructor(tokenizer, vocabulary, session, ends, contextWindow) {
    this.tokenizer = tokenizer;
    this.vocabulary = vocabulary;
    this.session = session;
    this.ends = ends;
    this.contextWindow = contextWindow;
    this.#encoder = new Encoder(tokenizer, vocabulary, contextWindow);
  }

  /**
   * Runs the model once, which warms it up, and looks at what it says: some
   * GPUs answer gibberish without an error (onnxruntime#26732).
   * @param {Manifest} manifest
   */
  async check({ id, known_answer: known }) {
    const prompt = known?.prompt ?? "Hello";
    const { input_ids: ids } = this.tokenizer(prompt, { add_special_tokens: false, return_tensor: false });
    const logits = await this.logits(ids).catch((error) => {
      throw new EngineError("session_failed", `the first run failed: ${firstLine(error)}`);
    });
    const said = new Detokenizer(this.vocabulary).push(argmax(logits));
    if (known && said !== known.next) {
      throw new EngineError(
        "wrong_answer",
        `${id} continues “${prompt}” with “${said}” instead of “${known.next}”: this device computes it wrongly`,
        "Try another browser or device; on the server, pageside models verify tells whether the model is whole.",
      );
    }
  }

  /**
   * @param {Generate} request
   * @param {Answer} answer
   * @returns {Promise<EndReason>}
   */
  async generate({ messages, sampling, continues }, answer) {
    this.#said = continues ? this.#continued(messages, answer.before) : this.#asked(messages);
    const { ids } = this.#said;
    const reused = this.session.reuse(ids);
    answer.prompt(ids.length, reused);
    const room = this.contextWindow - ids.length;
    const limit = Math.min(sampling.maxTokens ?? MOST_TOKENS, room);
    const sampler = new Sampler(sampling, ids);
    const logits = await this.#prefill(ids.slice(reused), answer);
    return logits ? this.#decode(logits, limit, sampler, this.#said, answer) : "stopped";
  }

  forget() {
    this.session.reset();
    this.#said = null;
  }

  /**
   * @param {string} text
   * @returns {Promise<TokenCount>}
   */
  count(text) {
    return this.#encoder.count(text);
  }

  /**
   * What the model says after `ids` and nothing before them: for comparing devices.
   * @param {number[]} ids
   * @returns {Promise<Float32Array>}  [vocabulary], the caller's to keep
   */
  async logits(ids) {
    const { session } = this;
    session.reset();
    /** @type {Float32Array} */
    let logits = new Float32Array(0);
    for (let at = 0; at < ids.length; at += session.chunk) logits = await session.step(ids.slice(at, at + session.chunk));
    session.reset();
    return logits.slice();
  }

  /**
   * @param {ChatMessage[]} messages
   * @returns {number[]}  token ids of the prompt, by the model's template
   */
  encode(messages) {
    return this.#encoder.prompt(messages, false);
  }

  /** @param {ChatMessage[]} messages */
  #asked(messages) {
    return new Said(this.vocabulary, messages, "", this.encode(messages));
  }

  /**
   * From the ids of the last answer, if it is that one: a greedy answer then goes on as if it had
   * never been cut. From any other's text, which may be tokenised differently at its end.
   * @param {ChatMessage[]} messages
   * @param {string} text  the last one's
   */
  #continued(messages, text) {
    const asked = messages.slice(0, -1);
    if (!this.#said?.isAnswerTo(asked, text)) {
      return new Said(this.vocabulary, asked, text, this.#encoder.prompt(messages, true));
    }
    this.#encoder.fitting(this.#said.ids);
    return this.#said;
  }

  /**
   * Computes the prompt in equal chunks, with a macrotask after each.
   * @param {number[]} ids  the tokens after those that are reused
   * @param {Answer} answer
   * @returns {Promise<Float32Array | null>}  the last position's logits; null when stopped
   */
  async #prefill(ids, answer) {
    const size = Math.ceil(ids.length / Math.ceil(ids.length / this.session.chunk));
    let logits = null;
    for (let at = 0; at < ids.length; at += size) {
      answer.prefill(at, ids.length);
      await macrotask();
      if (answer.signal.aborted) return null;
      logits = await this.session.step(ids.slice(at, at + size));
    }
    answer.prefill(ids.length, ids.length);
    await macrotask();
    return answer.signal.aborted ? null : logits;
  }

  /**
   * A character that is not whole when the answer is cut is not shown: Continue completes it.
   * @param {Float32Array} logits
   * @param {number} limit  tokens
   * @param {Sampler} sampler
   * @param {Said} said
   * @param {Answer} answer
   * @returns {Promise<EndReason>}
   */
  async #decode(logits, limit, sampler, said, answer) {
    for (let count = 1; ; count++) {
      const id = sampler.next(logits);
      if (this.ends.has(id)) return end(said, answer);
      if (answer.token(said.push(id))) return "stop-string";
      if (count >= limit) return "length";
      await macrotask();
      if (answer.signal.aborted) return "stopped";
      logits = await this.session.step([id]);
    }
  }
}

/** What an engine of real models is beside its loading, which makes the chat. */
export class ChatEngine {
  /** @type {Chat} */ chat = /** @type {any} */ (null);

  /**
   * @param {Generate} request
   * @param {Answer} answer
   * @returns {Promise<EndReason>}
   */
  generate(request, answer) {
    return this.chat.generate(request, answer);
  }

  forget() {
    this.chat.forget();
  }

  /**
   * @param {string} text
   * @returns {Promise<TokenCount>}
   */
  count(text) {
    return this.chat.count(text);
  }
}

/**
 * @param {Said} said
 * @param {Answer} answer
 * @returns {EndReason}
 */
function end(said, answer) {
  answer.rest(said.end());
  return "eos";
}

/** @param {unknown} error  ONNX Runtime's are long */
export const firstLine = (error) => String(error instanceof Error ? error.message : error).split("\n")[0];
