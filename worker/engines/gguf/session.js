/** @file The network's forward pass in the kernels, with its cache of keys and values. */

import { EngineError } from "../../errors.js";
import { BATCH, placeModel } from "./model.js";

/** @import { Session } from "../chat.js" */
/** @import { Machine } from "./machine.js" */
/** @import { CacheType } from "./model.js" */
/** @import { Network } from "./network.js" */

/** @implements {Session} */
export class GgufSession {
  chunk = BATCH;
  /** Whose keys and values the cache holds. @type {number[]} */
  #ids = [];

  /**
   * @param {Machine} machine
   * @param {Network} network
   * @param {number} file  address of its GGUF file
   * @param {{ context: number, threads: number, cache: CacheType }} options
   */
  constructor(machine, network, file, options) {
    this.kernels = machine.kernels;
    this.network = network;
    this.threads = options.threads;
    const placed = placeModel(machine, network, file, options);
    this.tokens = machine.words(placed.tokens, BATCH);
    this.logits = machine.floats(placed.logits, network.vocabulary);
  }

  /**
   * The cache is cropped to what it shares with `ids`, and goes on from there.
   * @param {number[]} ids
   */
  reuse(ids) {
    let same = 0;
    while (same < this.#ids.length && same < ids.length - 1 && this.#ids[same] === ids[same]) same++;
    this.#ids.length = same;
    return same;
  }

  reset() {
    this.#ids.length = 0;
  }

  /**
   * @param {number[]} ids  at most `chunk`
   * @returns {Promise<Float32Array>}
   */
  async step(ids) {
    const { vocabulary } = this.network;
    // The kernels look them up unseen; a tokenizer may know more than the file has rows for.
    const outside = ids.find((id) => id >= vocabulary);
    if (outside !== undefined) {
      throw new EngineError("model_invalid", `the tokenizer has a token ${outside}; the model knows ${vocabulary}`);
    }
    this.tokens.set(ids);
    this.kernels.embed(ids.length, this.#ids.length, this.threads);
    for (let i = 0; i < this.network.layers.length; i++) this.kernels.layer(i);
    this.kernels.finish(ids.length - 1);
    this.#ids.push(...ids);
    return this.logits;
  }
}
