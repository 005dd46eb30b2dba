import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockReader } from "../../../web/markdown/reader.js";
import { block, htmlOf } from "./html.js";

/** What one huge block of each kind looks like with so many parts. */
const HUGE = {
  paragraph: (n) => "word ".repeat(n),
  "paragraph of lines": (n) => "some words and more\n".repeat(n / 4),
  delimiters: (n) => "*_".repeat(n),
  "openers and words": (n) => "*a _b ".repeat(n / 2),
  "closers alone": (n) => "a* ".repeat(n),
  strikes: (n) => "~~a ".repeat(n),
  brackets: (n) => "[".repeat(n) + "a" + "]".repeat(n),
  images: (n) => "![".repeat(n),
  "titles without an end": (n) => '[a](b "'.repeat(n / 8),
  "runs of backticks": (n) => Array.from({ length: Math.sqrt(n) * 2 }, (_, i) => `${"`".repeat(i + 1)} a `).join(""),
  "a backtick, and words": (n) => `\`${"word ".repeat(n)}`,
  comments: (n) => `a ${"<!-- ".repeat(n / 2)}${" > ".repeat(n / 2)}-->`,
  "tags without an end": (n) => "<a b='".repeat(n / 2),
  entities: (n) => "&am".repeat(n),
  addresses: (n) => "http://a.b/".repeat(n / 4),
  mails: (n) => "a@".repeat(n),
  prices: (n) => "$5 and $10 ".repeat(n / 2),
  list: (n) => Array.from({ length: n }, (_, i) => `- item ${i}\n`).join(""),
  table: (n) => `| a | b |\n|---|---|\n${"| cell | *two* |\n".repeat(n / 4)}`,
  fence: (n) => `\`\`\`js\n${"const a = 1; // one\n".repeat(n)}`,
  html: (n) => `<div>\n${"a\n".repeat(n)}`,
  quotes: (n) => `${"> ".repeat(26)}x\n`.repeat(n / 16),
  "references that come late": (n) => `${"[foo] ".repeat(n / 8)}\n\n[foo]: /x\n`,
};
const FEW = 4_000;
const TIMES = 8;
// Linear is 8; what is quadratic is 64.
const MOST_GROWTH = 24;
const PARTS = 400;

/** CPU ms of the fastest of three readings, part by part. */
function costMs(text) {
  const length = Math.ceil(text.length / PARTS);
  return Math.min(
    ...[1, 2, 3].map(() => {
      const before = process.cpuUsage();
      const reader = new BlockReader();
      for (let at = 0; at < text.length; at += length) reader.write(text.slice(at, at + length));
      reader.end();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );
}

for (const [name, of] of Object.entries(HUGE)) {
  test(`${name}: linear, and the same over a split`, () => {
    const text = of(FEW);
    const length = 7;
    const pieces = text.match(new RegExp(`[^]{1,${length}}`, "g"));
    assert.equal(htmlOf(pieces), htmlOf([text]));
    const [small, large] = [costMs(text), costMs(of(FEW * TIMES))];
    assert.ok(large <= MOST_GROWTH * Math.max(small, 2), `${small.toFixed(1)} ms, ${TIMES} times as long ${large.toFixed(1)} ms`);
  });
}

/** Blocks touched by each character of `text`, after `before`. */
function touched(before, text) {
  const reader = new BlockReader();
  reader.write(before);
  const old = new Set(blocksOf(reader.root));
  reader.changed.clear();
  const changed = new Set();
  for (const char of text) {
    reader.write(char);
    for (const node of reader.changed) if (old.has(node)) changed.add(node);
    reader.changed.clear();
  }
  return [...changed].map((node) => block(node).trim());
}

function* blocksOf(node) {
  for (const child of node.children ?? []) {
    yield child;
    yield* blocksOf(child);
  }
}

const PROSE = "A paragraph of some words, which is finished.\n\n".repeat(700);

test("finished blocks are left alone", () => {
  assert.deepEqual(touched(PROSE, "More *words*.\n\n# And a heading\n\n- and\n- items\n\n```\ncode\n```\n"), []);
});

test("a note's definition touches what refers to it, and nothing else", () => {
  const found = touched(`Intro with a note[^1].\n\n${PROSE}`, "[^1]: the note\n");
  assert.deepEqual(found, ["<p>Intro with a note<sup>1</sup>.</p>"]);
});

test("a link's definition touches what refers to it, and nothing else", () => {
  const found = touched(`See [here][1] and [1].\n\n[2] waits.\n\n${PROSE}`, '[1]: https://example.org/a "title"\n\nEnd');
  assert.equal(found.length, 1);
  assert.match(found[0], /^<p>See <a href="https:\/\/example.org\/a" title="title">here<\/a> and <a/);
});
