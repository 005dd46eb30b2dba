/** @file The model's forward pass with its KV cache, over token ids. */

/** @import { Session } from "./chat.js" */
/** @import { CausalModel, Tensor, Transformers } from "./runtime.js" */

/**
 * Keeps the keys and values of the ids seen so far; a prompt that begins with them computes only the rest.
 * @implements {Session}
 */
export class KvSession {
  /** A step cannot be interrupted; halving this costs a short prompt's TTFT another pass over the weights. */
  chunk = 96;
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
