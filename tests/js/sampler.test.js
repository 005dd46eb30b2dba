import assert from "node:assert/strict";
import { test } from "node:test";
import { argmax, Sampler } from "../../worker/sampler.js";

const LOGITS = Float32Array.from([0, 1, 3, 2, -Infinity]);
const sampling = (more) => ({ maxTokens: null, temperature: 1, topP: 1, seed: 1, ...more });
const draw = (count, more) => {
  const sampler = new Sampler(sampling(more));
  return Array.from({ length: count }, () => sampler.next(LOGITS));
};

test("temperature 0 takes the likeliest, the first of equals", () => {
  assert.deepEqual(draw(3, { temperature: 0 }), [2, 2, 2]);
  assert.equal(argmax(Float32Array.from([5, 7, 7])), 1);
});

test("a seed repeats the draws, another seed does not", () => {
  assert.deepEqual(draw(50, { seed: 7 }), draw(50, { seed: 7 }));
  assert.notDeepEqual(draw(50, { seed: 7 }), draw(50, { seed: 8 }));
});

test("without a seed two samplers differ", () => {
  assert.notDeepEqual(draw(60, { seed: null }), draw(60, { seed: null }));
});

test("draws follow the softmax", () => {
  const counts = [0, 0, 0, 0, 0];
  for (const id of draw(40_000)) counts[id] += 1;
  const weights = [...LOGITS].map(Math.exp);
  const total = weights.reduce((a, b) => a + b);
  weights.forEach((weight, id) => assert.ok(Math.abs(counts[id] / 40_000 - weight / total) < 0.01));
  assert.equal(counts[4], 0);
});

test("a low temperature sharpens", () => {
  const likely = draw(2000, { temperature: 0.2 }).filter((id) => id === 2).length;
  assert.ok(likely > 1960);
});

test("top-p keeps the fewest likely tokens that reach it", () => {
  // Softmax: 0.032, 0.087, 0.644, 0.237.
  assert.deepEqual(new Set(draw(2000, { topP: 0.6 })), new Set([2]));
  assert.deepEqual(new Set(draw(2000, { topP: 0.8 })), new Set([2, 3]));
  assert.deepEqual(new Set(draw(5000, { topP: 0.99 })), new Set([0, 1, 2, 3]));
  assert.deepEqual(new Set(draw(50, { topP: 0 })), new Set([2]));
});
