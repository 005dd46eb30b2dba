import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSampling } from "../../worker/sampling.js";

const OFF = { maxTokens: null, repetitionPenalty: 1, temperature: 0, topK: 0, topP: 1, seed: null, stop: [] };

const MEANT = [
  {},
  { maxTokens: 1 },
  { repetitionPenalty: 0.5 },
  { temperature: 2.5 },
  { topK: 1_000_000 },
  { topP: 0.001 },
  { seed: 0 },
  { seed: 2 ** 32 - 1 },
  { stop: ["\n", "x".repeat(256), "🌍"] },
];

for (const more of MEANT) {
  test(`meant: ${JSON.stringify(more).slice(0, 60)}`, () => assert.doesNotThrow(() => checkSampling({ ...OFF, ...more })));
}

const REFUSED = {
  maxTokens: [0, -1, 1.5, "5", Infinity, undefined],
  repetitionPenalty: [0, -1, NaN, Infinity, null],
  temperature: [-0.1, NaN, Infinity, null],
  topK: [-1, 0.5, null, "40"],
  topP: [0, 1.1, -1, NaN, null],
  seed: [-1, 2 ** 32, 0.5, "7"],
  stop: [null, "END", [""], [5], ["x".repeat(257)], ["\ud83c"], Array(17).fill("x")],
};

for (const [name, values] of Object.entries(REFUSED)) {
  for (const value of values) {
    test(`${name} ${typeof value === "number" ? value : JSON.stringify(value)?.slice(0, 40)} is refused by name`, () => {
      assert.throws(() => checkSampling({ ...OFF, [name]: value }), (error) => {
        assert.equal(error.code, "sampling_invalid");
        assert.ok(error.message.startsWith(`${name} is `), error.message);
        assert.match(error.hint, /^Use .+\.$/);
        assert.ok(error.message.length < 120);
        return true;
      });
    });
  }
}
