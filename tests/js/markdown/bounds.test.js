import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockReader } from "../../../web/markdown/reader.js";
import { block, htmlOf, inline } from "./html.js";

const numbered = (n, of) => Array.from({ length: n }, (_, i) => of(i)).join("");

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
  "references and as many definitions": (n) => `${numbered(n / 8, (i) => `[l${i}] `)}\n\n${numbered(n / 8, (i) => `[l${i}]: /x\n`)}`,
  "notes and as many definitions": (n) => `${numbered(n / 8, (i) => `n[^${i}] `)}\n\n${numbered(n / 8, (i) => `[^${i}]: note\n`)}`,
  "underscores in a word": (n) => "_a".repeat(n),
  ...Object.fromEntries(["-", "- ", "=", "*", "* ", "_", "`", "~", "#", " ", "\t", "1", ">", "[", "|-"].map((unit) => [
    `a line of ${JSON.stringify(unit)}`,
    (n) => `a|b\n${unit.repeat(n)}\n`,
  ])),
};
const FEW = 4_000;
const TIMES = 8;
// Linear is 8; what is quadratic is 64.
const MOST_GROWTH = 24;
const PIECE_LENGTH = 64;

/** CPU ms of the fastest of five readings, piece by piece. */
function costMs(text) {
  return Math.min(
    ...[1, 2, 3, 4, 5].map(() => {
      const before = process.cpuUsage();
      const reader = new BlockReader();
      for (let at = 0; at < text.length; at += PIECE_LENGTH) reader.write(text.slice(at, at + PIECE_LENGTH));
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
    assert.ok(large <= MOST_GROWTH * Math.max(small, 3), `${small.toFixed(1)} ms, ${TIMES} times as long ${large.toFixed(1)} ms`);
  });
}

test("a table that says little is no larger than it may be", () => {
  const columns = 500;
  const head = `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n`;
  const html = htmlOf([head, "|\n".repeat(5_000), `${"|x".repeat(columns)}|\n`]);
  assert.ok(html.split("<td>").length < 12_000);
  assert.equal(html.split("<td>x</td>").length, columns + 1);
  assert.equal(htmlOf([...head, ...`|\n`.repeat(100), "|a||b|\n"]), htmlOf([head + `|\n`.repeat(100) + "|a||b|\n"]));
  assert.doesNotMatch(htmlOf([`|a${head.replaceAll("\n|", "\n|-|")}`]), /<table/);
});

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

/** What `text`, after `before`, makes of the references there, as HTML; no block may be touched for it. */
function defined(before, text) {
  const reader = new BlockReader();
  reader.write(before);
  const old = new Set(blocksOf(reader.root));
  reader.changed.clear();
  for (const char of text) reader.write(char);
  assert.deepEqual([...reader.changed].filter((node) => old.has(node)), []);
  return reader.references.defined.map((reference) => inline([reference]));
}

test("a note's definition touches what refers to it, and nothing else", () => {
  assert.deepEqual(defined(`Intro with a *note*[^1] [^2].\n\n${PROSE}`, "[^1]: the note\n"), ["<sup>1</sup>"]);
});

test("a link's definition touches what refers to it, and nothing else", () => {
  const text = '[1]: https://example.org/a "title"\n\nEnd';
  const link = (text) => `<a href="https://example.org/a" title="title">${text}</a>`;
  assert.deepEqual(defined(`See [here][1], *[1]*, [**a** \`b\`][1] and ![this][1].\n\n[2] waits.\n\n${PROSE}`, text), [
    link("here"),
    link("1"),
    link("<strong>a</strong> <code>b</code>"),
    '<img src="https://example.org/a" alt="this" title="title" />',
  ]);
});

test("a long block is read again not with each definition, and what waits in it waits once", () => {
  const count = 1_000;
  const reader = new BlockReader();
  reader.write(`${numbered(count, (i) => `*a [b*][r${i}] [x][k${i}] `)}\n\n`);
  const [paragraph] = reader.root.children;
  const { reread } = paragraph;
  let rereads = 0;
  paragraph.reread = () => ((rereads += 1), reread.call(paragraph));
  for (let i = 0; i < count; i++) reader.write(`[r${i}]: /r\n\n`);
  for (let i = 0; i < count; i++) reader.write(`[k${i}]: /k\n\n`);
  reader.end();
  assert.ok(rereads > 1 && rereads < 20, `${rereads} times`);
  assert.equal(reader.references.defined.filter(({ key }) => key.startsWith("K")).length, count);
  assert.equal(block(reader.root).split("<a href").length, 2 * count + 1);
});

test("where markup depends on what a label is, its block is read once more, and no other", () => {
  const texts = ["*a [b*][1]", "[a *b][1]", "[a [1]](/x)", "[a][1](/x)", "[a][1][b]", "[a [1] b][2]"];
  for (const text of texts) {
    const found = touched(`See ${text}.\n\n[2] waits.\n\n${PROSE}`, "[1]: /one\n\nEnd");
    assert.equal(found.length, 1, text);
    assert.match(found[0], /^<p>See .*<a href="\/one">/, text);
  }
});
