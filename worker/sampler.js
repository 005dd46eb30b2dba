/** @file Choosing the next token from logits. */

import { mostLikely } from "./topk.js";

/** @import { Sampling } from "./protocol.js" */

/** One answer's choices: greedy at temperature 0, else drawn from the top-k's top-p, repeatable with a seed. */
export class Sampler {
  #temperature;
  #topK;
  #topP;
  #penalty;
  #random;
  /** What the repetition penalty is for. @type {Set<number>} */
  #seen;
  #weights = new Float32Array(0);

  /**
   * @param {Sampling} sampling
   * @param {Iterable<number>} [ids]  of the prompt
   */
  constructor({ temperature, topK, topP, repetitionPenalty, seed }, ids = []) {
    this.#temperature = temperature;
    this.#topK = topK;
    this.#topP = topP;
    this.#penalty = repetitionPenalty;
    this.#seen = new Set(repetitionPenalty === 1 ? [] : ids);
    this.#random = generator(seed ?? crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);
  }

  /**
   * @param {Float32Array} logits  one row, [vocabulary]; the penalty is written into it
   * @returns {number}  a token id
   */
  next(logits) {
    if (this.#penalty !== 1) this.#penalise(logits);
    const best = argmax(logits);
    const id = this.#temperature > 0 ? this.#drawn(logits, /** @type {number} */ (logits[best])) : best;
    if (this.#penalty !== 1) this.#seen.add(id);
    return id;
  }

  /**
   * As in CTRL (Keskar et al. 2019) and Hugging Face's transformers, over what is
   * in the prompt too. Costs a step per distinct id seen, of which a long
   * conversation has a few thousand: less than the argmax over the vocabulary.
   * @param {Float32Array} logits
   */
  #penalise(logits) {
    for (const id of this.#seen) {
      const logit = logits[id] ?? 0;
      logits[id] = logit > 0 ? logit / this.#penalty : logit * this.#penalty;
    }
  }

  /**
   * @param {Float32Array} logits
   * @param {number} max
   * @returns {number}  a token id
   */
  #drawn(logits, max) {
    const ids = this.#topK > 0 && this.#topK < logits.length ? mostLikely(logits, this.#topK) : null;
    const left = ids ? Float32Array.from(ids, (id) => logits[id] ?? -Infinity) : logits;
    const weights = this.#softmax(left, max);
    const chosen = this.#topP < 1 ? this.#fromNucleus(weights) : this.#draw(weights, sum(weights));
    return ids ? /** @type {number} */ (ids[chosen]) : chosen;
  }

  /**
   * @param {Float32Array} logits
   * @param {number} max  subtracted, so that exp cannot overflow
   */
  #softmax(logits, max) {
    if (this.#weights.length !== logits.length) this.#weights = new Float32Array(logits.length);
    const weights = this.#weights;
    for (let i = 0; i < logits.length; i++) {
      weights[i] = Math.exp((/** @type {number} */ (logits[i]) - max) / this.#temperature);
    }
    return weights;
  }

  /**
   * @param {Float32Array} weights  unnormalised
   * @param {number} total
   */
  #draw(weights, total) {
    let rest = this.#random() * total;
    let last = 0;
    for (let i = 0; i < weights.length; i++) {
      const weight = /** @type {number} */ (weights[i]);
      if (weight > 0) last = i;
      rest -= weight;
      if (rest < 0) return i;
    }
    return last; // rounding left a sliver
  }

  /**
   * The fewest most likely tokens whose probabilities reach top-p (Holtzman et
   * al. 2020, "The Curious Case of Neural Text Degeneration"). Only tokens that
   * can be among them are sorted.
   * @param {Float32Array} weights
   */
  #fromNucleus(weights) {
    const total = sum(weights);
    // A token outside weighs at most what the nucleus leaves over.
    const leastWeight = ((1 - this.#topP) * total) / weights.length;
    /** @type {number[]} */
    const ids = [];
    weights.forEach((weight, id) => weight >= leastWeight && ids.push(id));
    ids.sort((a, b) => /** @type {number} */ (weights[b]) - /** @type {number} */ (weights[a]));
    let kept = 0;
    let count = 0;
    while (count < ids.length && kept < this.#topP * total) kept += /** @type {number} */ (weights[ids[count++] ?? 0]);
    const nucleus = ids.slice(0, Math.max(1, count));
    const chosen = this.#draw(Float32Array.from(nucleus, (id) => /** @type {number} */ (weights[id])), kept);
    return /** @type {number} */ (nucleus[chosen]);
  }
}

/**
 * @param {Float32Array} values
 * @returns {number}  the first of the largest
 */
export function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) {
    if (/** @type {number} */ (values[i]) > /** @type {number} */ (values[best])) best = i;
  }
  return best;
}

/** @param {Float32Array} values */
const sum = (values) => values.reduce((a, b) => a + b, 0);

/**
 * mulberry32 (Tommy Ettinger, public domain): 32 bits of state are enough for
 * drawing tokens, and the same seed gives the same text on every machine.
 * @param {number} seed
 * @returns {() => number}  in [0, 1)
 */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
