/** @file The kernels' module with its memory: what lies where, and the calls. */

import { EngineError } from "../../errors.js";

const PAGE_BYTES = 65_536;
/** All but one page of what 32-bit addresses reach; the module says the same. */
const MOST_PAGES = 65_535;
const ALIGNMENT = 64;

/**
 * @typedef {object} Kernels  what the module exports; an address or a size is a number
 * @property {WebAssembly.Global} __heap_base
 * @property {WebAssembly.Global} __stack_pointer
 * @property {() => number} model_at
 * @property {() => number} model_bytes
 * @property {() => number} layer_bytes
 * @property {(at: number, layers: number, threads: number) => number} lay_out
 * @property {(type: number, at: number, rows: number, columns: number, tail: number, scratch: number) => void} repack
 * @property {(count: number, position: number, threads: number) => void} embed
 * @property {(index: number) => void} layer
 * @property {(token: number) => void} finish
 * @property {() => void} hash_begin
 * @property {(at: number, size: number) => void} hash_take
 * @property {(at: number) => void} hash_end
 * @property {() => number} last_call
 * @property {(index: number, seen: number) => never} serve
 */

/** Memory that only grows, given out from its beginning on; what is given is never taken back. */
export class Machine {
  #next;

  /**
   * @param {WebAssembly.Module} module
   * @param {WebAssembly.Memory} memory
   * @param {Kernels} kernels
   */
  constructor(module, memory, kernels) {
    this.module = module;
    this.memory = memory;
    this.kernels = kernels;
    this.#next = kernels.__heap_base.value;
  }

  /** @param {WebAssembly.Module} module */
  static async start(module) {
    const memory = new WebAssembly.Memory({ initial: 64, maximum: MOST_PAGES, shared: true });
    const instance = await WebAssembly.instantiate(module, { env: { memory } });
    return new Machine(module, memory, /** @type {any} */ (instance.exports));
  }

  /** Where the next bytes will be given out. */
  get next() {
    return Math.ceil(this.#next / ALIGNMENT) * ALIGNMENT;
  }

  /**
   * @param {number} size  bytes
   * @returns {number}  their address; what is there is 0
   */
  take(size) {
    const at = this.next;
    this.takeUntil(at + size);
    return at;
  }

  /** @param {number} end  an address */
  takeUntil(end) {
    const pages = Math.ceil(end / PAGE_BYTES) - this.memory.buffer.byteLength / PAGE_BYTES;
    try {
      if (pages > 0) this.memory.grow(pages);
    } catch {
      const needed = Math.ceil(end / 2 ** 20);
      throw new EngineError(
        "memory_refused",
        `the browser gives this page no ${needed} MB of memory`,
        "Close other tabs, or serve a smaller model.",
      );
    }
    this.#next = end;
  }

  /**
   * @param {number} at
   * @param {number} size
   */
  bytes(at, size) {
    return new Uint8Array(this.memory.buffer, at, size);
  }

  /**
   * @param {number} at
   * @param {number} count
   */
  words(at, count) {
    return new Uint32Array(this.memory.buffer, at, count);
  }

  /**
   * @param {number} at
   * @param {number} count
   */
  floats(at, count) {
    return new Float32Array(this.memory.buffer, at, count);
  }
}
