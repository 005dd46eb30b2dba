import assert from "node:assert/strict";
import { test } from "node:test";
import { NoteBlock } from "../../../web/markdown/blocks.js";
import { BlockReader } from "../../../web/markdown/reader.js";
import { randomPieces } from "../splits.js";

/**
 * The numbers of references in the text and of notes, in the order they stand in.
 * @param {Iterable<string>} pieces
 */
function numbers(pieces) {
  const reader = new BlockReader();
  for (const piece of pieces) reader.write(piece);
  reader.end();
  /** @type {Record<"references" | "notes", number[]>} */
  const found = { references: [], notes: [] };
  look(reader.root, found);
  return found;
}

/**
 * @param {any} block
 * @param {Record<"references" | "notes", number[]>} found
 */
function look(block, found) {
  if (block instanceof NoteBlock) found.notes.push(block.number);
  for (const node of block.reader?.nodes ?? []) {
    const { type, number } = node.target ?? node;
    if (type === "note") found.references.push(number);
  }
  for (const child of block.children ?? []) look(child, found);
}

const CASES = {
  "named, noted in their order": ["a[^x] b[^y]\n\n[^x]: X\n[^y]: Y", [1, 2], [1, 2]],
  "noted in another order: as the notes stand": ["a[^x] b[^y]\n\n[^y]: Y\n\n[^x]: X", [2, 1], [1, 2]],
  "noted before": ["[^b]: B\n\na[^a] b[^b]\n\n[^a]: A", [2, 1], [1, 2]],
  "one note for several": ["a[^1]\n\nb[^1]\n\n[^1]: N\n\nc[^1]", [1, 1, 1], [1]],
  "noted twice: the first counts": ["a[^1] b[^2]\n\n[^1]: N\n\n[^1]: M\n\n[^2]: O", [1, 2], [1, 1, 2]],
  "labels without case": ["a[^A]\n\n[^a]: N", [1], [1]],
  "never noted": ["a[^1] b[^2]\n\n[^2]: N", [1], [1]],
};

for (const [name, [text, references, notes]] of Object.entries(CASES)) {
  test(`notes: ${name}, over every split`, () => {
    const wanted = { references, notes };
    assert.deepEqual(numbers([text]), wanted);
    assert.deepEqual(numbers([...text]), wanted);
    for (let seed = 1; seed <= 20; seed++) assert.deepEqual(numbers(randomPieces(text, seed)), wanted);
  });
}
