/**
 * @file fp32 weights out of GGUF blocks, one tensor at a time, when ONNX
 * Runtime asks for it.
 *
 * On Wasm, fp32 weights decode ten times faster than ONNX Runtime's 4-bit
 * kernels, but 135 million of them are 538 MB. Handing them over in one buffer
 * held that twice (here and in the Wasm heap): 2.0 GB at the peak. ONNX Runtime
 * reads external data with `subarray(offset, offset + length)`, once a tensor;
 * answering that call with freshly dequantised weights needs one tensor's room.
 *
 * Block layouts: ggml-common.h of llama.cpp (block_q4_0, block_q4_1, block_q8_0),
 * 32 weights each, low nibbles are weights 0–15, high nibbles 16–31.
 */

import { EngineError } from "./errors.js";

/**
 * @typedef {"F32" | "F16" | "Q4_0" | "Q4_1" | "Q8_0"} TensorType
 *
 * @typedef {object} TensorEntry
 * @property {string} name
 * @property {number} offset_bytes         in the fp32 external data
 * @property {number} source_offset_bytes  in the GGUF
 * @property {TensorType} type
 * @property {number} rows
 * @property {number} columns
 * @property {number} heads                above 0: rows are interleaved per head, as llama.cpp stores q and k; undo it
 *
 * @typedef {{ location: string, total_bytes: number, tensors: TensorEntry[] }} WeightsIndex
 */

const BLOCK = 32;

/** Reads as the external data of the skeleton graph; holds the GGUF's bytes alone. */
export class DequantisedWeights extends Uint8Array {
  #gguf;
  #totalBytes;
  /** @type {Map<number, TensorEntry>} */
  #byOffset = new Map();
  /** @type {Float32Array<ArrayBuffer>} */
  #scratch;
  #spentMs = 0;

  /**
   * @param {Uint8Array<ArrayBuffer>} gguf  the whole file
   * @param {WeightsIndex} index
   */
  constructor(gguf, index) {
    super(0);
    this.#gguf = gguf;
    this.#totalBytes = index.total_bytes;
    for (const tensor of index.tensors) this.#byOffset.set(tensor.offset_bytes, tensor);
    this.#scratch = new Float32Array(Math.max(...index.tensors.map((t) => t.rows * t.columns)));
  }

  /** @override */
  get byteLength() {
    return this.#totalBytes;
  }

  /** Time spent in here so far, ms. */
  get spentMs() {
    return this.#spentMs;
  }

  /**
   * The weights of one tensor, valid until the next call.
   * @override
   * @param {number} begin
   * @param {number} [end]
   * @returns {Uint8Array<ArrayBuffer>}
   */
  subarray(begin, end = this.#totalBytes) {
    const startedAt = performance.now();
    const tensor = this.#byOffset.get(begin);
    if (!tensor || tensor.rows * tensor.columns * 4 !== end - begin) {
      throw new EngineError("internal", `ONNX Runtime asked for bytes ${begin}–${end}, which are no tensor`);
    }
    dequantise(this.#gguf, tensor, this.#scratch);
    this.#spentMs += performance.now() - startedAt;
    return new Uint8Array(this.#scratch.buffer, 0, end - begin);
  }
}

/**
 * @param {Uint8Array<ArrayBuffer>} gguf
 * @param {TensorEntry} tensor
 * @param {Float32Array} out  [rows, columns], row-major; may be longer
 */
export function dequantise(gguf, tensor, out) {
  const { rows, columns, heads, source_offset_bytes: start } = tensor;
  const unpack = UNPACK[tensor.type];
  const rowBytes = (columns / unpack.weights) * unpack.bytes;
  for (let row = 0; row < rows; row++) {
    const to = heads > 0 ? unpermuted(row, rows / heads) : row;
    unpack.row(gguf, start + row * rowBytes, columns, out, to * columns);
  }
}

/**
 * llama.cpp stores rows (0, half, 1, half + 1, …) of each head, for its own
 * rotary embedding; ONNX wants (0, 1, …, half, half + 1, …).
 * @param {number} row
 * @param {number} headRows
 */
function unpermuted(row, headRows) {
  const inHead = row % headRows;
  return row - inHead + (inHead & 1) * (headRows / 2) + (inHead >> 1);
}

/** Every f16, as a number. */
const HALF = Float32Array.from({ length: 65536 }, (_, bits) => half(bits));

/** @param {number} bits */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {number}
 */
const f16 = (bytes, at) => {
  const bits = /** @type {number} */ (bytes[at]) | (/** @type {number} */ (bytes[at + 1]) << 8);
  return /** @type {number} */ (HALF[bits]);
};

/**
 * @typedef {(bytes: Uint8Array<ArrayBuffer>, at: number, columns: number, out: Float32Array, to: number) => void} UnpackRow
 * @type {Record<TensorType, { weights: number, bytes: number, row: UnpackRow }>}
 */
const UNPACK = {
  F32: {
    weights: 1,
    bytes: 4,
    row(bytes, at, columns, out, to) {
      const view = new DataView(bytes.buffer, bytes.byteOffset + at);
      for (let i = 0; i < columns; i++) out[to + i] = view.getFloat32(i * 4, true);
    },
  },
  F16: {
    weights: 1,
    bytes: 2,
    row(bytes, at, columns, out, to) {
      for (let i = 0; i < columns; i++) out[to + i] = f16(bytes, at + i * 2);
    },
  },
  Q4_0: { weights: BLOCK, bytes: 18, row: (...row) => nibbles(...row, false) },
  Q4_1: { weights: BLOCK, bytes: 20, row: (...row) => nibbles(...row, true) },
  Q8_0: {
    weights: BLOCK,
    bytes: 34,
    row(bytes, at, columns, out, to) {
      for (const last = to + columns; to < last; to += BLOCK, at += 34) {
        const scale = f16(bytes, at);
        for (let i = 0; i < BLOCK; i++) {
          out[to + i] = scale * ((/** @type {number} */ (bytes[at + 2 + i]) << 24) >> 24);
        }
      }
    },
  },
};

/**
 * w = d·q + m (Q4_1), or d·(q − 8) (Q4_0).
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {number} at
 * @param {number} columns
 * @param {Float32Array} out
 * @param {number} to
 * @param {boolean} hasMinimum
 */
function nibbles(bytes, at, columns, out, to, hasMinimum) {
  for (const last = to + columns; to < last; to += BLOCK, at += BLOCK / 2) {
    const scale = f16(bytes, at);
    const minimum = hasMinimum ? f16(bytes, at + 2) : -8 * scale;
    at += hasMinimum ? 4 : 2;
    for (let i = 0; i < BLOCK / 2; i++) {
      const pair = /** @type {number} */ (bytes[at + i]);
      out[to + i] = scale * (pair & 15) + minimum;
      out[to + i + BLOCK / 2] = scale * (pair >> 4) + minimum;
    }
  }
}
