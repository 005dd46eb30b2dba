import assert from "node:assert/strict";
import { test } from "node:test";
import { HeaderCut, readHeader } from "../../worker/engines/gguf/header.js";

const UINT32 = 4;
const FLOAT32 = 6;
const STRING = 8;
const ARRAY = 9;
const UINT64 = 10;
const HUGE = 2n ** 63n;

const u32 = (value) => [...new Uint8Array(new Uint32Array([value]).buffer)];
const u64 = (value) => [...new Uint8Array(new BigUint64Array([BigInt(value)]).buffer)];
const text = (bytes) => [...u64(bytes.length), ...bytes];
const named = (name) => text([...new TextEncoder().encode(name)]);
const head = ({ tensors = 0, entries = 0, version = 3 } = {}) => [
  ...[71, 71, 85, 70],
  ...u32(version),
  ...u64(tensors),
  ...u64(entries),
];
const entry = (key, kind, value) => [...named(key), ...u32(kind), ...value];
const tensor = (name, dimensions, type, offset) => [
  ...named(name),
  ...u32(dimensions.length),
  ...dimensions.flatMap(u64),
  ...u32(type),
  ...u64(offset),
];
const read = (bytes, fileBytes = bytes.length) => readHeader(Uint8Array.from(bytes), fileBytes);

const HOSTILE = {
  "another format": [[80, 75, 3, 4, ...Array(100).fill(0)], /does not begin/],
  "big-endian": [[71, 71, 85, 70, 0, 0, 0, 3, ...Array(16).fill(0)], /version 50331648/],
  "version 1": [head({ version: 1 }), /version 1/],
  "2^63 tensors": [head({ tensors: HUGE }), /number of/],
  "2^50 tensors": [head({ tensors: 2n ** 50n }), /tensors/],
  "2^50 entries": [head({ entries: 2n ** 50n }), /metadata entries/],
  "a name of 2^50 bytes": [[...head({ entries: 1 }), ...u64(2n ** 50n)], /name of/],
  "a text of 2^50 bytes": [[...head({ entries: 1 }), ...entry("k", STRING, u64(2n ** 50n))], /ends inside/],
  "an array of 2^50 texts": [
    [...head({ entries: 1 }), ...entry("k", ARRAY, [...u32(STRING), ...u64(2n ** 50n)])],
    /ends inside/,
  ],
  "an array of 2^50 numbers": [
    [...head({ entries: 1 }), ...entry("k", ARRAY, [...u32(UINT64), ...u64(2n ** 50n)])],
    /ends inside/,
  ],
  "an array of arrays": [
    [...head({ entries: 1 }), ...entry("k", ARRAY, [...u32(ARRAY), ...u64(1), ...Array(64).fill(0)])],
    /unknown type \(9\)/,
  ],
  "an unknown type": [[...head({ entries: 1 }), ...entry("k", 77, Array(8).fill(0))], /unknown type \(77\)/],
  "an empty key": [[...head({ entries: 1 }), ...entry("", UINT32, u32(0))], /name ""/],
  "control characters": [[...head({ entries: 1 }), ...entry("a\u001b[2J", UINT32, u32(0))], /name/],
  "no UTF-8": [[...head({ entries: 1 }), ...entry("k", STRING, text([0xff, 0xfe]))], /UTF-8/],
  "a key twice": [
    [...head({ entries: 2 }), ...entry("k", UINT32, u32(0)), ...entry("k", UINT32, u32(0))],
    /k twice/,
  ],
  "an alignment of 0": [[...head({ entries: 1 }), ...entry("general.alignment", UINT32, u32(0))], /alignment/],
  "an alignment of 1.5": [
    [...head({ entries: 1 }), ...entry("general.alignment", FLOAT32, new Uint8Array(Float32Array.of(1.5).buffer))],
    /alignment/,
  ],
  "no dimension": [[...head({ tensors: 1 }), ...tensor("t", [], 0, 0)], /0 dimensions/],
  "five dimensions": [[...head({ tensors: 1 }), ...tensor("t", [1, 1, 1, 1, 1], 0, 0)], /5 dimensions/],
  "a dimension of 0": [[...head({ tensors: 1 }), ...tensor("t", [32, 0], 0, 0)], /0 rows of 32/],
  "half a block": [[...head({ tensors: 1 }), ...tensor("t", [48], 8, 0)], /48 Q8_0/],
  "a type not covered": [[...head({ tensors: 1 }), ...tensor("t", [256], 10, 0)], /type this engine lacks/],
  "more weights than bytes": [[...head({ tensors: 1 }), ...tensor("t", [2n ** 50n], 0, 0)], /behind the file's end/],
  "a product beyond all": [[...head({ tensors: 1 }), ...tensor("t", [2n ** 40n, 2n ** 40n], 0, 0)], /rows of/],
  "an offset beyond all": [
    [...head({ tensors: 1 }), ...tensor("t", [8], 0, 2n ** 52n), ...Array(256).fill(0)],
    /behind the file's end/,
  ],
  "an odd offset": [[...head({ tensors: 1 }), ...tensor("t", [8], 0, 4), ...Array(256).fill(0)], /odd place/],
  "one tensor twice": [
    [...head({ tensors: 2 }), ...tensor("t", [8], 0, 0), ...tensor("t", [8], 0, 32), ...Array(256).fill(0)],
    /one tensor twice/,
  ],
  "tensors that overlap": [
    [...head({ tensors: 2 }), ...tensor("t", [16], 0, 0), ...tensor("u", [8], 0, 32), ...Array(256).fill(0)],
    /overlaps/,
  ],
};

for (const [name, [bytes, said]] of Object.entries(HOSTILE)) {
  test(`refused: ${name}`, () => {
    assert.throws(() => read(bytes), { message: said });
  });
}

const GOOD = [
  ...head({ tensors: 2, entries: 5 }),
  ...entry("general.architecture", STRING, named("llama")),
  ...entry("a.number", UINT32, u32(7)),
  ...entry("a.list", ARRAY, [...u32(STRING), ...u64(2), ...named("北京"), ...named("")]),
  ...entry("a.long.list", ARRAY, [...u32(STRING), ...u64(5000), ...Array(5000).fill(named("x")).flat()]),
  ...entry("general.alignment", UINT32, u32(64)),
  ...tensor("vector", [8], 0, 64),
  ...tensor("matrix", [64, 3], 3, 128),
];
const DATA_AT = Math.ceil(GOOD.length / 64) * 64;
const FILE_BYTES = DATA_AT + 128 + 120;

test("metadata and tensors, with places from the file's begin", () => {
  const { metadata, tensors, dataBytes } = read(GOOD, FILE_BYTES);
  assert.equal(dataBytes, DATA_AT);
  assert.equal(metadata.get("general.architecture"), "llama");
  assert.equal(metadata.get("a.number"), 7);
  assert.deepEqual(metadata.get("a.list"), ["北京", ""]);
  assert.deepEqual(metadata.get("a.long.list"), [], "a tokenizer's table is not kept");
  assert.deepEqual(tensors.get("vector"), { type: 0, rows: 1, columns: 8, offsetBytes: DATA_AT + 64, sizeBytes: 32 });
  assert.deepEqual(tensors.get("matrix"), { type: 3, rows: 3, columns: 64, offsetBytes: DATA_AT + 128, sizeBytes: 120 });
  assert.throws(() => read(GOOD, FILE_BYTES - 1), /matrix that ends behind/);
});

test("a header that is not all there is asked for again, wherever it is cut", () => {
  for (let length = 0; length < GOOD.length; length += length < 600 || GOOD.length - length < 300 ? 1 : 997) {
    assert.throws(() => read(GOOD.slice(0, length), FILE_BYTES), HeaderCut);
    assert.throws(() => read(GOOD.slice(0, length), length), /ends inside its header/);
  }
});

test("whatever the bytes say: a header, or one refusal", () => {
  let state = 1;
  const random = (most) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % most;
  };
  let refused = 0;
  for (let round = 0; round < 3000; round++) {
    const bytes = GOOD.slice();
    for (let i = 0; i <= random(4); i++) bytes[4 + random(i % 2 ? 300 : bytes.length - 4)] = [0, 1, 2, 9, 127, 128, 255][random(7)];
    try {
      const { tensors } = read(bytes, FILE_BYTES);
      for (const { offsetBytes, sizeBytes } of tensors.values()) assert.ok(offsetBytes + sizeBytes <= FILE_BYTES);
    } catch (error) {
      assert.ok(error instanceof HeaderCut || /^model_/.test(error.code), error.stack);
      refused++;
    }
  }
  assert.ok(refused > 300);
});
