/** @file A GGUF file as it is poured into the kernels' memory: its header read as soon as it is there, its hash taken. */

import { EngineError } from "../../errors.js";
import { hex } from "../../weights.js";
import { HeaderCut, readHeader } from "./header.js";
import { readNetwork } from "./network.js";

/** @import { Target } from "../../weights.js" */
/** @import { Machine } from "./machine.js" */
/** @import { Network } from "./network.js" */

/** Read anew at twice the size where the header is longer: a tokenizer's tables take megabytes. */
const FIRST_LOOK_BYTES = 2 ** 18;

/** @implements {Target} */
export class PouredFile {
  /** Known once the header is there. @type {Network | null} */
  #network = null;
  /** What is wrong with the header, if the file proves to be the right one. @type {EngineError | null} */
  #fault = null;
  /** Its address. */
  at = 0;
  sizeBytes = 0;
  #nextLook = FIRST_LOOK_BYTES;

  /** @param {Machine} machine */
  constructor(machine) {
    this.machine = machine;
  }

  /** @param {number} sizeBytes  the same at each try */
  begin(sizeBytes) {
    if (!this.at) this.at = this.machine.take(sizeBytes);
    this.sizeBytes = sizeBytes;
    this.#nextLook = FIRST_LOOK_BYTES;
    this.#network = null;
    this.#fault = null;
    this.machine.kernels.hash_begin();
  }

  /**
   * A network that is not covered ends the fetching.
   * @param {Uint8Array} chunk
   * @param {number} at
   */
  write(chunk, at) {
    this.machine.bytes(this.at + at, chunk.length).set(chunk);
    this.machine.kernels.hash_take(this.at + at, chunk.length);
    const there = at + chunk.length;
    const isKnown = this.#network || this.#fault;
    if (!isKnown && (there >= this.#nextLook || there === this.sizeBytes)) this.#look(there);
  }

  async digest() {
    const at = this.machine.take(32);
    this.machine.kernels.hash_end(at);
    return hex(this.machine.bytes(at, 32));
  }

  /** Of a file whose hash was right. */
  get network() {
    if (this.#network) return this.#network;
    throw this.#fault ?? new Error("the file was not poured to its end");
  }

  /** @param {number} there  bytes that have arrived */
  #look(there) {
    try {
      // A copy: text is not decoded out of shared memory.
      this.#network = readNetwork(readHeader(this.machine.bytes(this.at, there).slice(), this.sizeBytes));
    } catch (error) {
      if (error instanceof HeaderCut) this.#nextLook = 2 * there;
      // Damage on the way is found by the hash, and fetched again.
      else if (error instanceof EngineError && error.code === "model_invalid") this.#fault = error;
      else throw error;
    }
  }
}
