import assert from "node:assert/strict";
import { test } from "node:test";
import { PIECE_LENGTH, pieceLength, sentenceLength } from "../../web/markdown/pieces.js";
import { randomPieces, TEXTS } from "./splits.js";

/** What becomes of a text that is written into nodes, on plain strings. */
function nodes(pieces) {
  const made = [""];
  for (const piece of pieces) {
    for (let rest = piece; rest; ) {
      const length = pieceLength(rest, PIECE_LENGTH - made.at(-1).length);
      made[made.length - 1] += rest.slice(0, length);
      rest = rest.slice(length);
      if (rest) made.push("");
    }
  }
  return made;
}

test("nodes are bounded, lose nothing, and are cut at spaces", () => {
  const text = TEXTS.join(" ").repeat(300);
  for (let seed = 1; seed <= 20; seed++) {
    const made = nodes(seed === 1 ? [text] : randomPieces(text, seed));
    assert.equal(made.join(""), text);
    assert.ok(made.every((node) => node.length <= 2 * PIECE_LENGTH));
    assert.ok(made.length >= text.length / (2 * PIECE_LENGTH));
    for (const node of made.slice(1)) assert.match(node, /^\s/);
  }
});

test("text without a space is cut between characters", () => {
  const text = "世🌍".repeat(20_000);
  for (const pieces of [[text], text.match(/.{1,7}/gsu)]) {
    const made = nodes(pieces);
    assert.equal(made.join(""), text);
    assert.ok(made.every((node) => node.length <= 2 * PIECE_LENGTH && node.isWellFormed()));
  }
});

/** What becomes of prose. */
function sentences(pieces) {
  const made = [""];
  for (const piece of pieces) {
    for (let rest = piece; rest; ) {
      const length = sentenceLength(made.at(-1), rest);
      made[made.length - 1] += rest.slice(0, length);
      rest = rest.slice(length);
      if (rest) made.push("");
    }
  }
  return made;
}

test("prose is cut where sentences end, and in the same places however it comes", () => {
  const prose = "Some words, and then “more of them.” They go on for a while! Do they? ".repeat(200);
  const cases = { prose, chinese: "这是一句话，说得有一点长。".repeat(400), words: "word ".repeat(2000), solid: "世🌍".repeat(5000) };
  for (const [name, text] of Object.entries(cases)) {
    const whole = sentences([text]);
    assert.equal(whole.join(""), text);
    assert.ok(whole.every((node) => node.length <= 2 * PIECE_LENGTH && node.isWellFormed()), name);
    assert.ok(whole.length > 4, name);
    for (let size = 1; size <= 40; size += 3) {
      const pieces = text.match(new RegExp(`.{1,${size}}`, "gsu"));
      assert.deepEqual(sentences(pieces), whole, name);
    }
  }
  for (const node of sentences([prose]).slice(0, -1)) assert.match(node, /[.!?]”?$/);
});
