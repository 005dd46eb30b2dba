import assert from "node:assert/strict";
import { test } from "node:test";
import { Machine } from "../../worker/engines/gguf/machine.js";
import { contextThatFits } from "../../worker/engines/gguf/model.js";

/** No kernels: where memory begins is all that is asked of them. */
const made = (maximum) =>
  new Machine(null, new WebAssembly.Memory({ initial: 1, maximum, shared: true }), { __heap_base: { value: 1000 } });

test("what is given out lies apart, in order, and is all 0", () => {
  const machine = made(100);
  const first = machine.take(10);
  const second = machine.take(200_000);
  assert.deepEqual([first, second], [1024, 1088]);
  assert.equal(machine.next, Math.ceil((1088 + 200_000) / 64) * 64);
  assert.ok(machine.bytes(second, 200_000).every((byte) => byte === 0));
});

test("memory that is refused is named, and nothing of it is counted as given", () => {
  const machine = made(3);
  const before = machine.next;
  for (const size of [4 * 65_536, 2 ** 32, 2 ** 50, Infinity]) {
    assert.throws(() => machine.take(size), { code: "memory_refused", message: /no \S+ MB of memory/ });
    assert.equal(machine.next, before);
  }
  assert.equal(machine.take(65_536), before);
});

test("a context is cut to what memory holds beside the file", () => {
  const rope = {};
  const network = { layers: Array(32).fill({ rope }), keyHeads: 8, head: 128, turned: 128, contextWindow: 131_072 };
  const positionBytes = 32 * 8 * 2 * 256 + 128 * 4;
  for (const fileBytes of [0, 2 ** 30, 3 * 2 ** 30]) {
    const context = contextThatFits(network, fileBytes, "f16");
    assert.ok(context < 131_072 && context > 1000);
    assert.ok(fileBytes + context * positionBytes <= 2 ** 32 - 2 ** 27);
    assert.ok(contextThatFits(network, fileBytes, "f32") < context);
    assert.ok(contextThatFits(network, fileBytes, "q8") > context);
  }
  assert.equal(contextThatFits({ ...network, contextWindow: 4096 }, 0, "f16"), 4096);
  assert.equal(contextThatFits(network, 2 ** 33, "f16"), 0);
});
