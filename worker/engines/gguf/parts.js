/** @file A file's metadata and tensors, asked for one by one: what is missing or of another shape is named. */

import { EngineError } from "../../errors.js";
import { WEIGHT_TYPES } from "./types.js";

/** @import { Header, Tensor } from "./header.js" */

/** The kernels take so many columns at once. */
const COLUMNS = 32;

/** @param {string} what */
export const unsupported = (what) =>
  new EngineError("model_unsupported", `this engine cannot run the model: ${what}`, "Serve it with --engine transformers.");

export class Parts {
  /** @type {Set<string>} */
  #taken = new Set();

  /** @param {Header} header */
  constructor(header) {
    this.header = header;
  }

  /** @param {string} key */
  text(key) {
    const value = this.header.metadata.get(key);
    if (typeof value !== "string") throw unsupported(`its file has no text ${key}`);
    return value;
  }

  /**
   * @param {string} key
   * @param {number} [otherwise]  where the file does not say; needed if it is not given
   */
  number(key, otherwise) {
    const value = this.header.metadata.get(key) ?? otherwise;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw unsupported(`its file has ${value === undefined ? "no" : "a wrong"} ${key}`);
  }

  /**
   * @param {string} key
   * @param {number} most
   * @param {number} [otherwise]
   */
  count(key, most, otherwise) {
    const value = this.number(key, otherwise);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw unsupported(`its ${key} is ${value}`);
  }

  /** @param {string} name */
  has(name) {
    return this.header.tensors.has(name);
  }

  /**
   * @param {string} name
   * @param {number} rows
   * @param {number} columns
   * @returns {Tensor}
   */
  matrix(name, rows, columns) {
    const tensor = this.#take(name, rows, columns);
    if (columns % COLUMNS) throw unsupported(`${name} has ${columns} columns, no multiple of ${COLUMNS}`);
    return tensor;
  }

  /**
   * Matrices that lie in one, below each other.
   * @param {string} name
   * @param {number[]} rows  of each
   * @param {number} columns
   * @returns {Tensor[]}
   */
  stacked(name, rows, columns) {
    const whole = this.matrix(name, rows.reduce((sum, count) => sum + count, 0), columns);
    const rowBytes = whole.sizeBytes / whole.rows;
    let first = 0;
    return rows.map((count) => {
      const offsetBytes = whole.offsetBytes + first * rowBytes;
      first += count;
      return { ...whole, rows: count, offsetBytes, sizeBytes: count * rowBytes };
    });
  }

  /**
   * @param {string} name
   * @param {number} length
   * @returns {Tensor}
   */
  vector(name, length) {
    const tensor = this.#take(name, 1, length);
    if (WEIGHT_TYPES.get(tensor.type)?.name !== "F32") throw unsupported(`${name} is not of the type F32`);
    return tensor;
  }

  /**
   * @param {string} name
   * @param {number} rows
   * @param {number} columns
   */
  #take(name, rows, columns) {
    const tensor = this.header.tensors.get(name);
    if (!tensor) throw unsupported(`its file has no tensor ${name}`);
    if (tensor.rows !== rows || tensor.columns !== columns) {
      throw unsupported(`${name} is ${tensor.rows} × ${tensor.columns}, not ${rows} × ${columns}`);
    }
    this.#taken.add(name);
    return tensor;
  }

  /** A tensor that nothing asked for means a network that is not the one computed here. */
  checkAllTaken() {
    const left = [...this.header.tensors.keys()].filter((name) => !this.#taken.has(name));
    if (left.length) throw unsupported(`its file has a tensor ${left[0]}, which its family lacks`);
  }
}
