import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Highlighter, MOST_LINES } from "../../web/highlight/highlighter.js";
import { KINDS } from "../../web/highlight/kinds.js";
import { languageNamed, languageNames, readerOf } from "../../web/highlight/languages.js";
import { LineReader, MOST_LENGTH } from "../../web/highlight/lines.js";
import { StringStream } from "../../web/vendor/streamparser/index.js";
import { random, randomPieces } from "./splits.js";

const GROUP = 64;

/** Groups of lines as the page makes them, which write down what they are told. */
class Shown {
  text = "";
  /** @type {number[]} */
  all = [];

  /** @param {number[]} tokens */
  add(tokens) {
    this.all.push(...tokens);
  }

  /** Kind and text of each token. */
  get tokens() {
    return this.all.flatMap((kind, at) => {
      if (at % 3 !== 2) return [];
      const [start, length] = this.all.slice(at - 2, at);
      return [`${KINDS[kind]} ${this.text.slice(start, start + length)}`];
    });
  }
}

/**
 * What is shown of code that comes in pieces, all read after each.
 * @param {Promise<LineReader>} loading
 * @param {Iterable<string>} pieces
 * @param {(highlighter: Highlighter) => void} [afterEach]
 */
async function shown(loading, pieces, afterEach = finish) {
  const highlighter = new Highlighter(loading);
  await loading;
  const groups = [new Shown()];
  let lines = 0;
  for (const piece of pieces) {
    for (const part of piece.split(/(?<=\n)/)) {
      const group = /** @type {Shown} */ (groups.at(-1));
      group.text += part;
      highlighter.write(part, group);
      if (part.endsWith("\n") && ++lines % GROUP === 0) groups.push(new Shown());
    }
    afterEach(highlighter);
  }
  highlighter.close();
  finish(highlighter);
  return groups.map((group) => group.tokens);
}

/** @param {Highlighter} highlighter */
function finish(highlighter) {
  while (!highlighter.work(() => true));
}

/** @param {string} name */
function loaded(name) {
  const language = languageNamed(name);
  assert.ok(language, `${name} is known`);
  return readerOf(language);
}

/** @type {Record<string, [string, string[]]>} */
const EXAMPLES = {
  python: [
    '@cached\nasync def f(x: int = 3):\n    """It\n    is"""\n    return "a" # why',
    ["meta @cached", "keyword async", "keyword def", "name f", "type int", "number 3", 'string """It', 'string     is"""', "keyword return", 'string "a"', "comment # why"],
  ],
  TypeScript: [
    "interface A { x: number }\nconst s = `a${x}b`; /* c\n d */ if (true) return /r/;",
    ["keyword interface", "name A", "type number", "keyword const", "name s", "string `a${", "string }b`", "comment /* c", "comment  d */", "keyword if", "number true", "keyword return", "string /r/"],
  ],
  json: ['{"a": ["b", 1, null]}', ['name "a"', 'string "b"', "number 1", "number null"]],
  rust: ['let x = "a"; // c\nstruct B;', ["keyword let", "name x", 'string "a"', "comment // c", "keyword struct", "name B"]],
  sh: ['for f in *; do echo "$f"; done # c', ["keyword for", "keyword in", "keyword do", "type echo", 'string "', "name $f", 'string "', "keyword done", "comment # c"]],
  diff: ["@@ -1 +1 @@\n-old\n+new\n same", ["meta @@ -1 +1 @@", "deleted -old", "inserted +new"]],
  html: [
    '<p class="a">if</p>\n<style>b { color: red }</style><script>\nif (a < b) "</p>";\n</script><i>',
    ["type p", "meta class", 'string "a"', "type p", "type style", "type b", "keyword red", "type style", "type script", "keyword if", 'string "</p>"', "type script", "type i"],
  ],
  php: ["<?php\n# c\nfunction f(string $s) { return 1; } ?>", ["meta <?php", "comment # c", "keyword function", "name f", "type string", "keyword return", "number 1", "meta ?>"]],
};

for (const [name, [code, tokens]] of Object.entries(EXAMPLES)) {
  test(`${name}, over every split`, async () => {
    for (const pieces of [[code], [...code], ...cuts(code)]) {
      assert.deepEqual((await shown(loaded(name), pieces)).flat(), tokens);
    }
  });
}

/** @param {string} code */
function* cuts(code) {
  for (let at = 1; at < code.length; at++) yield [code.slice(0, at), code.slice(at)];
  for (let seed = 1; seed <= 20; seed++) yield randomPieces(code, seed);
}

/** The fences of real answers. */
function answers() {
  const folder = new URL("markdown/answers/", import.meta.url);
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
  return texts.flatMap((text) => [...text.matchAll(/^( *)(?:```|~~~)(\S+)\n(.*?)^\1(?:```|~~~)/gms)]);
}

test("code of real answers, over random splits and character by character", async () => {
  let count = 0;
  for (const [, , name = "", code = ""] of answers()) {
    if (!languageNamed(name)) continue;
    count += 1;
    const whole = await shown(loaded(name), [code]);
    assert.deepEqual(await shown(loaded(name), code), whole);
    for (const seed of [1, 2, 3]) assert.deepEqual(await shown(loaded(name), randomPieces(code, seed)), whole);
  }
  assert.ok(count > 30);
});

const PARTS = `( ) [ ] { } < > </ /> " ' \` """ ''' // /* */ # -- <!-- --> ; : , = => -> | & ! ? @ $ % \\ \\" 0 1.5 0xff a Foo if
  else for def class return import in let const function end begin case of <script> </script> <style> </style> <?php ?> \${ #{ \\(
  r#" f" $x <<EOF EOF =begin =end {- -} --[[ ]] q( m{ s/ y/ 'x' "y" null 世 🌍 @media url( &amp; /re/g \\begin{verbatim}`.split(/\s+/);

/** @param {number} seed */
function soup(seed) {
  const next = random(seed);
  const some = () => PARTS[Math.floor(next() * PARTS.length)] + (next() < 0.2 ? "\n" : next() < 0.5 ? " " : "");
  return Array.from({ length: 150 }, some).join("");
}

test("anything at all, in every language, over random splits", async () => {
  const languages = new Map(languageNames.map((name) => [languageNamed(name), name]));
  let coloured = 0;
  for (const name of languages.values()) {
    const code = soup(name.length);
    const whole = await shown(loaded(name), [code]);
    if (whole.flat().length > 9) coloured += 1;
    for (const pieces of [code, randomPieces(code, 1), randomPieces(code, 2, 5)]) {
      assert.deepEqual(await shown(loaded(name), pieces), whole, name);
    }
  }
  assert.ok(coloured > 40, `${coloured} languages`);
});

test("a language is looked up by what people call it, and by nothing else", () => {
  for (const name of ["python", "Python", "py", "{.python}", "python:main.py", "python,ignore", "{.py .numbers}"]) {
    assert.equal(languageNamed(name), languageNamed("python"), name);
  }
  for (const name of ["", "text", "__proto__", "constructor", "toString", "../python", "python/../x", "https://a.b/c.js", '"><img>', "{}", "  "]) {
    assert.equal(languageNamed(name), undefined, name);
  }
});

test("code of several groups of lines, with places of each group's own", async () => {
  const code = "x = 1 # 世\n".repeat(200);
  const groups = await shown(loaded("python"), randomPieces(code, 1));
  assert.deepEqual(groups.map((tokens) => tokens.length), [128, 128, 128, 16]);
  assert.deepEqual(new Set(groups.flat()), new Set(["number 1", "comment # 世"]));
});

/**
 * Counts what a language's mode is given to read.
 * @param {string} name
 */
async function counted(name) {
  const { mode } = await loaded(name);
  const count = { characters: 0, mostInOne: 0 };
  class Counted extends StringStream {
    /** @param {[string, number, number]} line */
    constructor(...line) {
      super(...line);
      if (line[0] === "x") return; // what `settle` reads
      count.characters += line[0].length;
      count.mostInOne = Math.max(count.mostInOne, line[0].length);
    }
  }
  return { count, loading: Promise.resolve(new LineReader(mode, Counted)) };
}

test("a growing fence: no commit reads more of it than the lines it ends", async () => {
  const code = Array.from({ length: 2000 }, (_, i) => `const value${i} = await load("${i}"); // of ${i}\n`).join("");
  const { count, loading } = await counted("typescript");
  /** @type {number[]} */
  const read = [];
  let before = 0;
  await shown(loading, randomPieces(code, 1), (highlighter) => {
    finish(highlighter);
    read.push(count.characters - before);
    before = count.characters;
  });
  assert.equal(count.characters, code.replaceAll("\n", "").length);
  assert.ok(Math.max(...read) <= 2 * count.mostInOne, `${Math.max(...read)} in one commit`);
  const quarter = Math.floor(read.length / 4);
  const sum = (/** @type {number[]} */ some) => some.reduce((a, b) => a + b, 0);
  assert.ok(sum(read.slice(-quarter)) < 1.2 * sum(read.slice(0, quarter)));
});

test("code that came at once is read once, in slices", async () => {
  const code = "const a = 1; // b\n".repeat(5000);
  const { count, loading } = await counted("javascript");
  let slices = 0;
  const tokens = await shown(loading, [code], (highlighter) => {
    let lines = 0;
    while (!highlighter.work(() => ++lines % 100 !== 0)) slices += 1;
  });
  assert.equal(tokens.flat().length, 4 * 5000);
  assert.ok(slices >= 50, `${slices} slices`);
  assert.ok(count.characters <= code.length);
});

test("a language that comes late, after half of the code or all of it", async () => {
  const code = soup(3);
  const whole = await shown(loaded("js"), [code]);
  for (const share of [0.5, 1]) {
    let arrive = (/** @type {LineReader} */ _reader) => {};
    const loading = new Promise((resolve) => (arrive = resolve));
    const highlighter = new Highlighter(loading);
    const group = new Shown();
    const half = Math.floor(share * code.length);
    for (const piece of randomPieces(code.slice(0, half), 1)) highlighter.write(piece, group);
    arrive(await loaded("js"));
    await loading;
    for (const piece of randomPieces(code.slice(half), 2)) highlighter.write(piece, group);
    highlighter.close();
    finish(highlighter);
    group.text = code;
    assert.deepEqual(group.tokens, whole.flat());
  }
});

test("a language that never comes leaves the code plain", async () => {
  const failing = Promise.reject(new Error("out of reach"));
  const highlighter = new Highlighter(failing);
  const group = new Shown();
  highlighter.write("a = 1\n", group);
  await failing.catch(() => undefined);
  highlighter.write("a = 1\n", group);
  assert.ok(highlighter.work(() => true));
  assert.deepEqual(group.tokens, []);
});

test("a long line is coloured at its beginning, and read no more", async () => {
  const head = '{"a":"';
  const code = `${head}${"b".repeat(3 * MOST_LENGTH)}"}\n{"c":1}\n`;
  const { count, loading } = await counted("json");
  const groups = await shown(loading, randomPieces(code, 1));
  const tokens = ['name "a"', `string "${"b".repeat(MOST_LENGTH - head.length)}`, 'string "c"', "number 1"];
  assert.deepEqual(groups.flat(), tokens);
  assert.deepEqual(await shown(loaded("json"), [code]), groups);
  assert.equal(count.characters, MOST_LENGTH + '{"c":1}'.length);
});

test("of very long code the end is plain, and not read", async () => {
  const code = "a = 1\n".repeat(MOST_LINES + 500);
  const { count, loading } = await counted("python");
  const tokens = (await shown(loading, randomPieces(code, 1, 5000))).flat();
  assert.equal(tokens.length, MOST_LINES);
  assert.equal(count.characters, 5 * MOST_LINES);
});

test("code whose lines come between those of other code", async () => {
  for (const [name, beside] of [["less", "less"], ["html", "css"], ["html", "js"], ["js", "js"], ["c", "c"]]) {
    for (let seed = 1; seed <= 30; seed++) {
      const code = `<style>\n${soup(seed)}`;
      const alone = await shown(loaded(name), [code]);
      const { mode, Stream } = await loaded(name);
      const other = await loaded(beside);
      const lines = soup(seed + 100).split("\n");
      const between = () => other.read(lines.shift() ?? "");
      const mixed = await shown(Promise.resolve(new LineReader(mode, Stream)), code.split(/(?<=\n)/), between);
      assert.deepEqual(mixed.flat(), alone.flat(), name);
    }
  }
});

/** Throws at "!", stands still at "?" for ever and at "~" for once; a string is from one quote to the next. */
const STUMBLING = {
  startState: () => ({ isString: false, isRested: false }),
  /**
   * @param {any} stream
   * @param {{ isString: boolean, isRested: boolean }} state
   */
  token(stream, state) {
    if (stream.peek() === "?") return null;
    state.isRested = stream.peek() === "~" && !state.isRested;
    if (state.isRested) return null;
    const char = stream.next();
    if (char === "!") throw new Error("I did not expect that");
    if (char === '"') state.isString = !state.isString;
    return state.isString || char === '"' ? "string" : null;
  },
};

test("what a mode cannot read is plain to the line's end, and then it starts anew", async () => {
  for (const stumble of ["!", "?"]) {
    const code = `a~ "b~\nc${stumble}d"\n"e"\nf "g${stumble}`;
    const tokens = ['string "b~', "string c", 'string "e"', 'string "g'];
    for (const pieces of [[code], [...code], ...cuts(code)]) {
      const loading = Promise.resolve(new LineReader(STUMBLING, StringStream));
      assert.deepEqual((await shown(loading, pieces)).flat(), tokens);
    }
  }
});
