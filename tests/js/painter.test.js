import assert from "node:assert/strict";
import { test } from "node:test";
import { NODE_LENGTH, pieceLength } from "../../web/painter.js";
import { randomPieces, TEXTS } from "./splits.js";

/** What Painter does with a text, on plain strings. */
function nodes(pieces) {
  const made = [""];
  for (const piece of pieces) {
    for (let rest = piece; rest; ) {
      const length = pieceLength(rest, NODE_LENGTH - made.at(-1).length);
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
    assert.ok(made.every((node) => node.length <= 2 * NODE_LENGTH));
    assert.ok(made.length >= text.length / (2 * NODE_LENGTH));
    for (const node of made.slice(1)) assert.match(node, /^\s/);
  }
});

test("text without a space is cut between characters", () => {
  const text = "世🌍".repeat(20_000);
  for (const pieces of [[text], text.match(/.{1,7}/gsu)]) {
    const made = nodes(pieces);
    assert.equal(made.join(""), text);
    assert.ok(made.every((node) => node.length <= 2 * NODE_LENGTH && node.isWellFormed()));
  }
});
