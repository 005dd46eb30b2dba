import assert from "node:assert/strict";
import { test } from "node:test";
import { Detokenizer, Vocabulary } from "../../worker/detokenizer.js";
import { random, TEXTS } from "./splits.js";

/** GPT-2's table again, written the other way round: from the printable ranges. */
function characters() {
  const printable = [...range(0x21, 0x7e), ...range(0xa1, 0xac), ...range(0xae, 0xff)];
  const table = new Map(printable.map((byte) => [byte, String.fromCodePoint(byte)]));
  let next = 0x100;
  for (const byte of range(0, 0xff)) if (!table.has(byte)) table.set(byte, String.fromCodePoint(next++));
  return table;
}

function* range(first, last) {
  for (let i = first; i <= last; i++) yield i;
}

const TABLE = characters();
const encode = (bytes) => [...bytes].map((byte) => TABLE.get(byte)).join("");

/** One token for every byte, and whatever else a test wants. */
function vocabulary(more = [], added = []) {
  const vocab = Object.fromEntries([...range(0, 255)].map((byte) => [encode([byte]), byte]));
  for (const bytes of more) vocab[encode(bytes)] ??= Object.keys(vocab).length;
  return { vocab, vocabulary: new Vocabulary({ model: { vocab }, decoder: { type: "ByteLevel" }, added_tokens: added }) };
}

function streamed(vocabulary, ids) {
  const detokenizer = new Detokenizer(vocabulary);
  const pieces = ids.map((id) => detokenizer.push(id));
  return { pieces, text: pieces.join("") + detokenizer.end() };
}

for (const text of TEXTS) {
  test(`byte by byte: ${JSON.stringify(text)}`, () => {
    const { vocabulary: v } = vocabulary();
    const { pieces, text: got } = streamed(v, [...new TextEncoder().encode(text)]);
    assert.equal(got, text);
    for (const piece of pieces) assert.ok(!piece.includes("\ufffd"), "no half character is ever shown");
  });

  test(`over random tokens, cut inside characters: ${JSON.stringify(text)}`, () => {
    const bytes = new TextEncoder().encode(text);
    for (let seed = 1; seed <= 50; seed++) {
      const next = random(seed);
      const tokens = [];
      for (let at = 0; at < bytes.length; ) tokens.push(bytes.slice(at, (at += 1 + Math.floor(next() * 6))));
      const { vocab, vocabulary: v } = vocabulary(tokens);
      const { text: got } = streamed(v, tokens.map((token) => vocab[encode(token)]));
      assert.equal(got, text);
    }
  });
}

test("a character shows with its last byte, not before", () => {
  const { vocabulary: v } = vocabulary();
  const { pieces } = streamed(v, [...new TextEncoder().encode("世")]);
  assert.deepEqual(pieces, ["", "", "世"]);
});

test("bytes that are no UTF-8 become U+FFFD and what follows is whole", () => {
  const { vocabulary: v } = vocabulary();
  assert.equal(streamed(v, [0xff, 0x41]).text, "\ufffdA");
  assert.equal(streamed(v, [0xe4, 0xb8]).text, "\ufffd");
});

test("special tokens add nothing, other added tokens their own text", () => {
  const { vocabulary: v } = vocabulary([], [
    { id: 300, content: "<|im_end|>", special: true },
    { id: 301, content: "<tool>世", special: false },
  ]);
  assert.equal(streamed(v, [0x41, 300, 301, 999]).text, "A<tool>世");
});

test("a tokenizer that does not decode by bytes is refused by name", () => {
  assert.throws(
    () => new Vocabulary({ model: { vocab: {} }, decoder: { type: "Metaspace" }, added_tokens: [] }),
    { code: "tokenizer_unsupported", message: /Metaspace/ },
  );
});

test("the work of a token does not grow with the line before it", () => {
  const { vocabulary: v } = vocabulary();
  const detokenizer = new Detokenizer(v);
  let bytes = 0;
  const counting = { bytes: (id) => { const b = v.bytes(id); bytes += b.length; return b; } };
  detokenizer.vocabulary = counting;
  for (let i = 0; i < 10_000; i++) detokenizer.push(0x61);
  assert.equal(bytes, 10_000);
});
