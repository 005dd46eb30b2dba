import assert from "node:assert/strict";
import { test } from "node:test";
import { argmax, Sampler } from "../../worker/sampler.js";
import { mostLikely } from "../../worker/topk.js";
import { random } from "./splits.js";

const LOGITS = Float32Array.from([0, 1, 3, 2, -Infinity]);
const OFF = { maxTokens: null, topK: 0, topP: 1, repetitionPenalty: 1, stop: [] };
const sampling = (more) => ({ ...OFF, temperature: 1, seed: 1, ...more });
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

test("top-k keeps the k most likely, and top-p the fewest of those", () => {
  assert.deepEqual(new Set(draw(500, { topK: 1 })), new Set([2]));
  assert.deepEqual(new Set(draw(2000, { topK: 2 })), new Set([2, 3]));
  assert.deepEqual(new Set(draw(5000, { topK: 3 })), new Set([1, 2, 3]));
  // Of the two, 2 has 0.731 alone: less than of all, where it has 0.644.
  assert.deepEqual(new Set(draw(2000, { topK: 2, topP: 0.7 })), new Set([2]));
  assert.deepEqual(new Set(draw(2000, { topK: 2, topP: 0.75 })), new Set([2, 3]));
});

test("draws from the top-k follow the softmax over them", () => {
  const likelier = draw(40_000, { topK: 2 }).filter((id) => id === 2).length / 40_000;
  assert.ok(Math.abs(likelier - 1 / (1 + Math.exp(-1))) < 0.01);
});

test("a top-k of the whole vocabulary or more is off", () => {
  for (const topK of [LOGITS.length, 1_000_000]) assert.deepEqual(draw(200, { topK }), draw(200, {}));
});

test("the most likely are those a sort would give, the first of equals", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const next = random(seed);
    const logits = Float32Array.from({ length: 300 }, () => Math.floor(next() * 40) - 20);
    const sorted = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
    for (const k of [1, 2, 3, 40, 299, 300]) {
      assert.deepEqual([...mostLikely(logits, k)], sorted.slice(0, k).sort((a, b) => a - b));
    }
  }
});

/** The penalised logits are seen by what wins. */
const greedy = (logits, ids, repetitionPenalty, count = 1) => {
  const sampler = new Sampler(sampling({ temperature: 0, repetitionPenalty }), ids);
  return Array.from({ length: count }, () => sampler.next(Float32Array.from(logits)));
};

test("the repetition penalty divides what is positive and multiplies what is negative", () => {
  const sampler = new Sampler(sampling({ temperature: 0, repetitionPenalty: 2 }), [0, 1, 1, 2]);
  const logits = Float32Array.from([4, -4, 0, 1.5, -Infinity]);
  assert.equal(sampler.next(logits), 0);
  assert.deepEqual([...logits], [2, -8, 0, 1.5, -Infinity]);
});

test("it holds for the prompt's ids and the answer's, at temperature 0 too", () => {
  assert.deepEqual(greedy([4, 3, 1], [0], 2), [1]);
  assert.deepEqual(greedy([4, 3, 2.5], [], 2, 4), [0, 1, 2, 0]);
  assert.deepEqual(greedy([4, 3, 2.5], [0, 1], 1, 2), [0, 0]);
});

test("an id that came again and again is penalised once a token", () => {
  assert.deepEqual(greedy([4, 3], [0, 0, 0, 0], 1.3), [0]);
});

test("without a penalty the logits are left as they are and no ids are kept", () => {
  const logits = Float32Array.from(LOGITS);
  let asked = 0;
  const ids = { [Symbol.iterator]: () => ((asked += 1), [][Symbol.iterator]()) };
  new Sampler(sampling({ temperature: 1, topK: 2, topP: 0.9 }), ids).next(logits);
  assert.deepEqual(logits, LOGITS);
  assert.equal(asked, 0);
});

test("a seed repeats the draws with everything on", () => {
  const more = { topK: 3, topP: 0.95, repetitionPenalty: 1.2, temperature: 0.8 };
  const drawn = (seed) => {
    const sampler = new Sampler(sampling({ ...more, seed }), [1]);
    return Array.from({ length: 60 }, () => sampler.next(Float32Array.from([0, 1, 1.5, 1.2, 1.1])));
  };
  assert.deepEqual(drawn(7), drawn(7));
  assert.notDeepEqual(drawn(7), drawn(8));
});
