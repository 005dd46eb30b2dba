/**
 * @file Reads the header of a GGUF file that may be hostile.
 *
 * Every count and length is held against what is there before anything of that size is read or
 * made, and what a tensor says of itself against the file, so that no address made from it lies
 * outside. models/gguf.py does the same on the server; ggml's docs/gguf.md is the format.
 */

import { EngineError } from "../../errors.js";
import { WEIGHT_TYPES } from "./types.js";

const METADATA_MOST = 4096;
const TENSORS_MOST = 65_536;
const NAME_MOST_BYTES = 1024;
const DIMENSIONS_MOST = 4;
const ALIGNMENT_MOST = 2 ** 20;
/** Longer arrays are a tokenizer's, which comes from tokenizer.json; nothing of them is kept. */
const KEPT_ITEMS_MOST = 4096;

/**
 * @typedef {number | string | boolean} Scalar
 *
 * @typedef {object} Tensor
 * @property {number} type  GGUF's number, a key of WEIGHT_TYPES
 * @property {number} rows  of a vector, 1
 * @property {number} columns
 * @property {number} offsetBytes  from the file's begin
 * @property {number} sizeBytes
 *
 * @typedef {object} Header
 * @property {Map<string, Scalar | Scalar[]>} metadata
 * @property {Map<string, Tensor>} tensors
 * @property {number} dataBytes  where the header ends and the weights begin
 */

/** The file so far is shorter than its header: try again with more of it. */
export class HeaderCut extends Error {}

/**
 * @param {Uint8Array<ArrayBuffer>} beginning  of the file
 * @param {number} fileBytes  of the whole
 * @returns {Header}
 * @throws {HeaderCut} where `beginning` is not all of the header
 * @throws {EngineError} with the code "model_invalid"
 */
export function readHeader(beginning, fileBytes) {
  const reader = new Reader(beginning, fileBytes);
  if (reader.bytes(4).join() !== "71,71,85,70") throw invalid("does not begin as a GGUF file does");
  const version = reader.u32();
  if (version !== 2 && version !== 3) throw invalid(`is of GGUF version ${version}; 2 and 3 are known`);
  const tensorCount = reader.count(TENSORS_MOST, "tensors");
  const metadata = readMetadata(reader, reader.count(METADATA_MOST, "metadata entries"));
  const named = Array.from({ length: tensorCount }, () => readTensor(reader));
  const alignment = alignmentOf(metadata);
  const dataBytes = Math.ceil(reader.at / alignment) * alignment;
  for (const [, tensor] of named) tensor.offsetBytes += dataBytes;
  checkPlaces(named, alignment, dataBytes, fileBytes);
  return { metadata, tensors: new Map(named), dataBytes };
}

/** @param {string} what  of the file */
const invalid = (what) =>
  new EngineError("model_invalid", `the model's file ${what}`, "Fetch it again on the server: pageside models pull");

/**
 * @param {Reader} reader
 * @param {number} count
 */
function readMetadata(reader, count) {
  /** @type {Header["metadata"]} */
  const metadata = new Map();
  for (let i = 0; i < count; i++) {
    const key = reader.name();
    if (metadata.has(key)) throw invalid(`has ${key} twice in its header`);
    metadata.set(key, reader.value(reader.u32()));
  }
  return metadata;
}

/**
 * @param {Reader} reader
 * @returns {[string, Tensor]}  its offset still from where the weights begin
 */
function readTensor(reader) {
  const name = reader.name();
  const dimensionCount = reader.u32();
  if (dimensionCount < 1 || dimensionCount > DIMENSIONS_MOST) {
    throw invalid(`has a tensor ${name} of ${dimensionCount} dimensions`);
  }
  const [columns = 0, ...others] = Array.from({ length: dimensionCount }, () => reader.u64());
  const rows = others.reduce((product, length) => product * length, 1);
  const type = reader.u32();
  const known = WEIGHT_TYPES.get(type);
  if (!known) throw new EngineError("model_unsupported", `the tensor ${name} is of a type this engine lacks (${type})`);
  const sizeBytes = ((rows * columns) / known.blockColumns) * known.blockBytes;
  if (!columns || !rows || columns % known.blockColumns || !Number.isSafeInteger(sizeBytes)) {
    throw invalid(`has a tensor ${name} of ${rows} rows of ${columns} ${known.name} weights`);
  }
  return [name, { type, rows, columns, offsetBytes: reader.u64(), sizeBytes }];
}

/** @param {Header["metadata"]} metadata */
function alignmentOf(metadata) {
  const alignment = metadata.get("general.alignment") ?? 32;
  if (typeof alignment === "number" && Number.isInteger(alignment) && alignment >= 1 && alignment <= ALIGNMENT_MOST) {
    return alignment;
  }
  throw invalid(`claims an alignment of ${alignment}`);
}

/**
 * @param {[string, Tensor][]} named
 * @param {number} alignment
 * @param {number} dataBytes
 * @param {number} fileBytes
 */
function checkPlaces(named, alignment, dataBytes, fileBytes) {
  if (new Set(named.map(([name]) => name)).size < named.length) throw invalid("names one tensor twice");
  let end = dataBytes;
  for (const [name, { offsetBytes, sizeBytes }] of named.toSorted(([, a], [, b]) => a.offsetBytes - b.offsetBytes)) {
    if (offsetBytes % alignment) throw invalid(`has a tensor ${name} at an odd place`);
    if (offsetBytes < end) throw invalid(`has a tensor ${name} that overlaps another`);
    end = offsetBytes + sizeBytes;
    if (end > fileBytes) throw invalid(`has a tensor ${name} that ends behind the file's end`);
  }
}

/** Walks the header from front to back. */
class Reader {
  at = 0;
  #view;
  #text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  /**
   * @param {Uint8Array<ArrayBuffer>} beginning
   * @param {number} fileBytes
   */
  constructor(beginning, fileBytes) {
    this.beginning = beginning;
    this.fileBytes = fileBytes;
    this.#view = new DataView(beginning.buffer, beginning.byteOffset, beginning.byteLength);
  }

  /**
   * Passes over `size` bytes.
   * @param {number} size
   * @returns {number}  where they begin
   */
  #pass(size) {
    if (size > this.fileBytes - this.at) throw invalid("ends inside its header");
    if (size > this.beginning.length - this.at) throw new HeaderCut();
    this.at += size;
    return this.at - size;
  }

  /** @param {number} size */
  bytes(size) {
    const at = this.#pass(size);
    return this.beginning.subarray(at, at + size);
  }

  u32() {
    return this.#view.getUint32(this.#pass(4), true);
  }

  u64() {
    const value = Number(this.#view.getBigUint64(this.#pass(8), true));
    if (!Number.isSafeInteger(value)) throw invalid(`has a number of ${value} in its header`);
    return value;
  }

  /**
   * @param {number} most
   * @param {string} what
   */
  count(most, what) {
    const value = this.u64();
    if (value > most) throw invalid(`claims ${value} ${what}`);
    return value;
  }

  name() {
    const text = this.text(NAME_MOST_BYTES);
    if (!text || /\p{C}/u.test(text)) throw invalid(`has a name ${JSON.stringify(text.slice(0, 40))} in its header`);
    return text;
  }

  /** @param {number} mostBytes */
  text(mostBytes = Infinity) {
    const size = this.u64();
    if (size > mostBytes) throw invalid(`has a name of ${size} bytes`);
    const bytes = this.bytes(size);
    try {
      return this.#text.decode(bytes);
    } catch {
      throw invalid("has a text that is no UTF-8");
    }
  }

  /**
   * @param {number} kind
   * @returns {Scalar | Scalar[]}
   */
  value(kind) {
    if (kind === STRING) return this.text();
    return kind === ARRAY ? this.#array() : this.#scalar(kind);
  }

  /** @param {number} kind */
  #scalar(kind) {
    const [size, read] = scalarOf(kind);
    return read(this.#view, this.#pass(size));
  }

  /** @returns {Scalar[]}  empty where it is too long to be kept */
  #array() {
    const kind = this.u32();
    const length = this.u64();
    if (kind === STRING) return this.#texts(length);
    const [size, read] = scalarOf(kind);
    const at = this.#pass(length * size);
    if (length > KEPT_ITEMS_MOST) return [];
    return Array.from({ length }, (_, i) => read(this.#view, at + i * size));
  }

  /** @param {number} length */
  #texts(length) {
    if (length * 8 > this.fileBytes - this.at) throw invalid("ends inside its header");
    /** @type {string[]} */
    const texts = [];
    for (let i = 0; i < length; i++) {
      if (length <= KEPT_ITEMS_MOST) texts.push(this.text());
      else this.#pass(this.u64());
    }
    return texts;
  }
}

const STRING = 8;
const ARRAY = 9;

/** @type {Record<number, [size: number, read: (view: DataView, at: number) => Scalar]>} */
const SCALARS = {
  0: [1, (view, at) => view.getUint8(at)],
  1: [1, (view, at) => view.getInt8(at)],
  2: [2, (view, at) => view.getUint16(at, true)],
  3: [2, (view, at) => view.getInt16(at, true)],
  4: [4, (view, at) => view.getUint32(at, true)],
  5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getFloat32(at, true)],
  7: [1, (view, at) => view.getUint8(at) !== 0],
  10: [8, (view, at) => Number(view.getBigUint64(at, true))],
  11: [8, (view, at) => Number(view.getBigInt64(at, true))],
  12: [8, (view, at) => view.getFloat64(at, true)],
};

/** @param {number} kind */
function scalarOf(kind) {
  const scalar = SCALARS[kind];
  if (!scalar) throw invalid(`has a value of an unknown type (${kind}) in its header`);
  return scalar;
}
