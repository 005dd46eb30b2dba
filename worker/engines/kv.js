/** @file The model's forward pass with its KV cache, over token ids. */

import { macrotask } from "../turn.js";

/** @import { CausalModel, Tensor, Transformers } from "./runtime.js" */

/**
 * The most prompt tokens computed in one call. A call cannot be interrupted, so
 * this bounds how long Stop waits in prefill; halving it costs a short prompt's
 * TTFT another pass over the weights.
 */
export const PREFILL_CHUNK = 96;

/** Keeps the keys and values of the ids seen so far; a prompt that begins with them computes only the rest. */
export class KvSession {
  /** @type {number[]} */
  #ids = [];
  /** @type {Record<string, Tensor> | null} */
  #past = null;
  /** The attention mask, of which each step uses a beginning. */
  #ones = new BigInt64Array(1024).fill(1n);

  /**
   * @param {Transformers} transformers
   * @param {CausalModel} model
   */
  constructor(transformers, model) {
    this.Tensor = transformers.Tensor;
    this.model = model;
  }

  /**
   * How many tokens of `ids` need not be computed. The last always must: its
   * logits are wanted. A cache that is not wholly a prefix is dropped, since
   * transformers.js has no way to crop one.
   * @param {number[]} ids
   */
  reuse(ids) {
    const isPrefix = this.#ids.length < ids.length && this.#ids.every((id, i) => id === ids[i]);
    if (!isPrefix) this.reset();
    return this.#ids.length;
  }

  reset() {
    this.#replace(null);
    this.#ids = [];
  }

  /**
   * Computes the prompt in equal chunks, with a macrotask after each.
   * @param {number[]} ids  the tokens after those `reuse` found
   * @param {AbortSignal} signal
   * @param {(done: number, total: number) => void} progress
   * @returns {Promise<Float32Array | null>}  the last position's logits; null when stopped
   */
  async prefill(ids, signal, progress) {
    const size = Math.ceil(ids.length / Math.ceil(ids.length / PREFILL_CHUNK));
    let logits = null;
    for (let at = 0; at < ids.length; at += size) {
      progress(at, ids.length);
      await macrotask();
      if (signal.aborted) return null;
      logits = await this.step(ids.slice(at, at + size));
    }
    progress(ids.length, ids.length);
    await macrotask();
    return signal.aborted ? null : logits;
  }

  /**
   * Appends ids to the cache.
   * @param {number[]} ids
   * @returns {Promise<Float32Array>}  the last position's logits, [vocabulary]; valid until the next step
   */
  async step(ids) {
    const total = this.#ids.length + ids.length;
    if (total > this.#ones.length) this.#ones = new BigInt64Array(2 * total).fill(1n);
    const outputs = await this.model.forward({
      input_ids: new this.Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
      attention_mask: new this.Tensor("int64", this.#ones.subarray(0, total), [1, total]),
      num_logits_to_keep: new this.Tensor("int64", BigInt64Array.of(1n), []),
      past_key_values: this.#past,
    });
    const { logits, ...present } = outputs;
    this.#replace(asPast(present));
    for (const id of ids) this.#ids.push(id);
    return row(/** @type {Tensor} */ (logits));
  }

  /** @param {Record<string, Tensor> | null} past */
  #replace(past) {
    for (const tensor of Object.values(this.#past ?? {})) {
      if (tensor.location === "gpu-buffer") tensor.dispose();
    }
    this.#past = past;
  }
}

/**
 * @param {Record<string, Tensor>} present  present.N.key and present.N.value, each [1, heads, tokens, head size]
 * @returns {Record<string, Tensor>}
 */
const asPast = (present) =>
  Object.fromEntries(
    Object.entries(present).map(([name, tensor]) => [name.replace("present", "past_key_values"), tensor]),
  );

/** @param {Tensor} logits  [1, 1, vocabulary] */
async function row(logits) {
  return logits.location === "gpu-buffer" ? logits.ort_tensor.getData() : logits.data;
}
