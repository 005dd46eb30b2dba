/** @file What a load is made of, one part after the other, nothing else running. */

import { DequantisedWeights, dequantise } from "/worker/dequantise.js";

import { serve } from "./calls.js";
import { fetchFiles, openModel, weightsIndex } from "./model.js";

/**
 * @template T
 * @param {() => Promise<T> | T} part
 * @returns {Promise<[T, number]>}  its result, and the ms it took
 */
async function timed(part) {
  const startedAt = performance.now();
  const result = await part();
  return [result, performance.now() - startedAt];
}

async function hashAll(files) {
  for (const bytes of files.values()) await crypto.subtle.digest("SHA-256", bytes);
}

/** Every tensor into the same room, as Pageside does it. */
function dequantiseAll(gguf, { tensors }) {
  const room = new Float32Array(Math.max(...tensors.map(({ rows, columns }) => rows * columns)));
  for (const tensor of tensors) dequantise(gguf, tensor, room);
}

/** All weights at once, so that making the session finds them in memory. */
function wholeWeights(gguf, index) {
  const lazy = new DequantisedWeights(gguf, index);
  const whole = new Uint8Array(index.total_bytes);
  for (const { offset_bytes: at, rows, columns } of index.tensors) {
    whole.set(lazy.subarray(at, at + rows * columns * 4), at);
  }
  return whole;
}

serve({
  async load({ base, threads }) {
    const [files, fetchMs] = await timed(() => fetchFiles(base));
    const [, hashMs] = await timed(() => hashAll(files));
    const gguf = files.get("model.gguf");
    const index = weightsIndex(files);
    const [, dequantiseMs] = await timed(() => dequantiseAll(gguf, index));
    const weights = wholeWeights(gguf, index);
    const [, sessionMs] = await timed(() => openModel(files, threads, weights));
    return { fetch: fetchMs, hash: hashMs, dequantise: dequantiseMs, session: sessionMs };
  },
});
