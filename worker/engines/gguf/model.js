/**
 * @file A network, placed in memory: weights repacked, tables made, and all of it told to the
 * kernels, whose `Model` and `Layer` (kernels/model.h) are written here word by word.
 */

/** @import { Tensor } from "./header.js" */
/** @import { Machine } from "./machine.js" */
/** @import { Network, Rope } from "./network.js" */

/** The most tokens of one call: what halves it doubles how often prefill reads the weights. */
export const BATCH = 64;

const ROWS = 4;

/** Types of the cache, as GGUF numbers them. */
export const CACHE_TYPES = { f32: 0, f16: 1, q8: 8 };

/** @typedef {keyof typeof CACHE_TYPES} CacheType */

/** All that 32-bit addresses reach, without what is neither the file nor grows with the context. */
const ROOM_BYTES = 2 ** 32 - 2 ** 27;

/**
 * @typedef {object} Placed
 * @property {number} tokens  address of a batch's token ids
 * @property {number} logits  address
 */

/**
 * How many positions of a cache there is room for beside the file. Memory that is never written to
 * costs nothing, so all of the context window is taken where it can be.
 * @param {Network} network
 * @param {number} fileBytes
 * @param {CacheType} cache
 * @returns {number}  at most the network's own context window
 */
export function contextThatFits({ layers, keyHeads, head, turned, contextWindow }, fileBytes, cache) {
  const rowBytes = { f32: 4 * head, f16: 2 * head, q8: head + 4 }[cache];
  const tables = new Set(layers.map(({ rope }) => rope)).size;
  const positionBytes = layers.length * keyHeads * 2 * rowBytes + tables * turned * 4;
  return Math.min(contextWindow, Math.max(0, Math.floor((ROOM_BYTES - fileBytes) / positionBytes)));
}

/**
 * @param {Machine} machine
 * @param {Network} network
 * @param {number} file  address of the GGUF file's bytes
 * @param {{ context: number, threads: number, cache: CacheType }} options
 * @returns {Placed}
 */
export function placeModel(machine, network, file, { context, threads, cache }) {
  const matrices = new Repacked(machine, file);
  const turns = new Turns(machine, network, file, context);
  const layerBytes = machine.kernels.layer_bytes();
  const layers = machine.take(network.layers.length * layerBytes);
  for (const [i, layer] of network.layers.entries()) {
    const words = new Words(machine, layers + i * layerBytes, layerBytes);
    for (const vector of Object.values(layer.vectors)) words.address(vector && file + vector.offsetBytes);
    for (const matrix of Object.values(layer.matrices)) words.matrix(matrices.of(matrix));
    words.address(turns.of(layer.rope));
    words.count(layer.window);
    words.skip(2); // the cache, which lay_out places
    words.end();
  }
  const words = new Words(machine, machine.kernels.model_at(), machine.kernels.model_bytes());
  const { width, feedWidth, vocabulary, heads, keyHeads, head, turned, pairs, gate } = network;
  words.count(width, feedWidth, vocabulary, network.layers.length, heads, keyHeads, head, turned);
  words.count(context, BATCH, pairs, gate, CACHE_TYPES[cache], CACHE_TYPES[cache]);
  words.float(network.epsilon, network.embeddingScale, network.scoreScale, network.scoreCap, network.logitCap);
  words.matrix(matrices.of(network.embedding));
  words.matrix(matrices.of(network.output));
  words.address(file + network.outputNorm.offsetBytes);
  words.address(layers);
  const rest = words.skip(2); // tokens and logits, which lay_out places
  words.end();
  machine.takeUntil(machine.kernels.lay_out(machine.next, layers, threads));
  const [tokens = 0, logits = 0] = machine.words(rest, 2);
  return { tokens, logits };
}

/** Writes 32-bit fields one after the other. */
class Words {
  #at;

  /**
   * @param {Machine} machine
   * @param {number} at
   * @param {number} size  bytes of all fields
   */
  constructor(machine, at, size) {
    this.machine = machine;
    this.#at = at;
    this.stop = at + size;
  }

  /** @param {number[]} values */
  count(...values) {
    this.machine.words(this.#at, values.length).set(values);
    this.#at += 4 * values.length;
  }

  /** @param {number[]} values */
  float(...values) {
    this.machine.floats(this.#at, values.length).set(values);
    this.#at += 4 * values.length;
  }

  /** @param {number | null} address */
  address(address) {
    this.count(address ?? 0);
  }

  /** @param {number[]} fields  as Repacked gives them */
  matrix(fields) {
    this.count(...fields);
  }

  /**
   * @param {number} count
   * @returns {number}  the address of the first
   */
  skip(count) {
    const at = this.#at;
    this.#at += 4 * count;
    return at;
  }

  /** All fields have been written, and no more. */
  end() {
    if (this.#at !== this.stop) throw new Error(`model.h has another size: ${this.stop - this.#at} bytes are left`);
  }
}

/** Matrices as the kernels want them: each repacked where it lies, once. */
class Repacked {
  /** @type {Map<Tensor, number[]>} */
  #fields = new Map();
  #scratch = 0;
  #scratchBytes = 0;

  /**
   * @param {Machine} machine
   * @param {number} file
   */
  constructor(machine, file) {
    this.machine = machine;
    this.file = file;
  }

  /**
   * @param {Tensor} tensor
   * @returns {number[]}  kernels/matrix.h, Matrix
   */
  of(tensor) {
    const known = this.#fields.get(tensor);
    if (known) return known;
    const { type, rows, columns, offsetBytes, sizeBytes } = tensor;
    const groupBytes = (ROWS * sizeBytes) / rows;
    const at = this.file + offsetBytes;
    const tail = rows % ROWS ? this.machine.take(groupBytes) : 0;
    this.machine.kernels.repack(type, at, rows, columns, tail, this.#room(groupBytes));
    const fields = [type, rows, columns, at, tail];
    this.#fields.set(tensor, fields);
    return fields;
  }

  /** @param {number} size */
  #room(size) {
    if (size > this.#scratchBytes) {
      this.#scratch = this.machine.take(size);
      this.#scratchBytes = size;
    }
    return this.#scratch;
  }
}

/** Cosines and sines of each position and pair, a table a kind of RoPE. */
class Turns {
  /** @type {Map<Rope, number>} */
  #tables = new Map();

  /**
   * @param {Machine} machine
   * @param {Network} network
   * @param {number} file
   * @param {number} context
   */
  constructor(machine, network, file, context) {
    this.machine = machine;
    this.file = file;
    this.pairs = network.turned / 2;
    this.context = context;
  }

  /**
   * @param {Rope} rope
   * @returns {number}  the table's address
   */
  of(rope) {
    const known = this.#tables.get(rope);
    if (known) return known;
    const at = this.machine.take(this.context * this.pairs * 8);
    const table = this.machine.floats(at, this.context * this.pairs * 2);
    const factors = rope.factors ? this.machine.floats(this.file + rope.factors.offsetBytes, this.pairs) : null;
    for (let pair = 0; pair < this.pairs; pair++) {
      const frequency = (rope.scale * rope.base ** (-pair / this.pairs)) / (factors?.[pair] ?? 1);
      for (let position = 0; position < this.context; position++) {
        const i = (position * this.pairs + pair) * 2;
        table[i] = Math.cos(position * frequency);
        table[i + 1] = Math.sin(position * frequency);
      }
    }
    this.#tables.set(rope, at);
    return at;
  }
}
