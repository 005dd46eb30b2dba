/** @file The types of weights that the kernels compute with: kernels/types.h says how each lies in memory. */

/**
 * @typedef {object} WeightType
 * @property {string} name
 * @property {number} blockColumns  weights of a block; a row is a whole number of blocks
 * @property {number} blockBytes
 */

/** A lone weight of a float type is a block in the file; the kernels take 32 at a time.
 * @type {ReadonlyMap<number, WeightType>}  by GGUF's number */
export const WEIGHT_TYPES = new Map([
  [0, { name: "F32", blockColumns: 1, blockBytes: 4 }],
  [1, { name: "F16", blockColumns: 1, blockBytes: 2 }],
  [2, { name: "Q4_0", blockColumns: 32, blockBytes: 18 }],
  [3, { name: "Q4_1", blockColumns: 32, blockBytes: 20 }],
  [6, { name: "Q5_0", blockColumns: 32, blockBytes: 22 }],
  [7, { name: "Q5_1", blockColumns: 32, blockBytes: 24 }],
  [8, { name: "Q8_0", blockColumns: 32, blockBytes: 34 }],
  [12, { name: "Q4_K", blockColumns: 256, blockBytes: 144 }],
  [13, { name: "Q5_K", blockColumns: 256, blockBytes: 176 }],
  [14, { name: "Q6_K", blockColumns: 256, blockBytes: 210 }],
  [30, { name: "BF16", blockColumns: 1, blockBytes: 2 }],
]);
