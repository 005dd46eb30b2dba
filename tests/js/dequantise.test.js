import assert from "node:assert/strict";
import { test } from "node:test";
import { DequantisedWeights, dequantise } from "../../worker/dequantise.js";

const half = (bits) => [bits & 255, bits >> 8];
const ONE = half(0x3c00); // 1.0
const TWO = half(0x4000); // 2.0
const MINUS_HALF = half(0xb800); // −0.5
const SMALLEST = half(0x0001); // 2⁻²⁴

const entry = (more) => ({ name: "w", offset_bytes: 0, source_offset_bytes: 0, type: "Q4_1", rows: 1, columns: 32, heads: 0, ...more });
const run = (bytes, more) => {
  const tensor = entry(more);
  const out = new Float32Array(tensor.rows * tensor.columns);
  dequantise(Uint8Array.from(bytes), tensor, out);
  return [...out];
};
/** Low nibbles 0–15, high nibbles 15–0. */
const NIBBLES = Array.from({ length: 16 }, (_, i) => i | ((15 - i) << 4));
const UP = Array.from({ length: 16 }, (_, i) => i);
const DOWN = UP.toReversed();

test("Q4_1 is d·q + m, low nibbles first", () => {
  assert.deepEqual(run([...TWO, ...MINUS_HALF, ...NIBBLES]), [...UP, ...DOWN].map((q) => 2 * q - 0.5));
});

test("Q4_0 is d·(q − 8)", () => {
  assert.deepEqual(run([...TWO, ...NIBBLES], { type: "Q4_0" }), [...UP, ...DOWN].map((q) => 2 * (q - 8)));
});

test("Q8_0 is d·q with signed q", () => {
  const q = Array.from({ length: 32 }, (_, i) => i * 8 - 128);
  assert.deepEqual(run([...ONE, ...q.map((v) => v & 255)], { type: "Q8_0" }), q);
});

test("F16 and F32, subnormal and signed", () => {
  assert.deepEqual(run([...SMALLEST, ...MINUS_HALF, ...TWO], { type: "F16", columns: 3 }), [2 ** -24, -0.5, 2]);
  const bytes = new Uint8Array(Float32Array.from([1.25, -3e-39, 0.1]).buffer);
  assert.deepEqual(run(bytes, { type: "F32", columns: 3 }), [1.25, Math.fround(-3e-39), Math.fround(0.1)]);
});

test("several blocks and rows, from an offset in the file", () => {
  const block = (scale) => [...half(scale), ...NIBBLES];
  const file = [9, 9, 9, 9, 9, ...block(0x3c00), ...block(0x4000), ...block(0x3800), ...block(0x4400)];
  const got = run(file, { type: "Q4_0", rows: 2, columns: 64, source_offset_bytes: 5 });
  const one = [...UP, ...DOWN].map((q) => q - 8);
  assert.deepEqual(got, [1, 2, 0.5, 4].flatMap((scale) => one.map((v) => scale * v)));
});

test("rows interleaved per head come back in order", () => {
  // Two heads of four rows; llama.cpp stores rows 0 2 1 3 of the model's 0 1 2 3.
  const stored = [0, 2, 1, 3, 4, 6, 5, 7];
  const bytes = new Uint8Array(Float32Array.from(stored).buffer);
  assert.deepEqual(run(bytes, { type: "F32", rows: 8, columns: 1, heads: 2 }), [0, 1, 2, 3, 4, 5, 6, 7]);
});

test("external data answers ONNX Runtime's reads, a tensor at a time", () => {
  const gguf = new Uint8Array(Float32Array.from([1, 2, 3, 4, 5]).buffer);
  const tensors = [
    entry({ type: "F32", columns: 2 }),
    entry({ type: "F32", columns: 3, offset_bytes: 4096, source_offset_bytes: 8 }),
  ];
  const weights = new DequantisedWeights(gguf, { location: "weights", total_bytes: 4108, tensors });
  assert.ok(weights instanceof Uint8Array);
  assert.equal(weights.byteLength, 4108);
  assert.deepEqual([...new Float32Array(weights.subarray(4096, 4108).slice().buffer)], [3, 4, 5]);
  assert.deepEqual([...new Float32Array(weights.subarray(0, 8).slice().buffer)], [1, 2]);
  assert.throws(() => weights.subarray(0, 12), { message: /no tensor/ });
  assert.throws(() => weights.subarray(4, 8), { message: /no tensor/ });
});
