import assert from "node:assert/strict";
import { test } from "node:test";
import { Stops } from "../../worker/stops.js";
import { random, randomPieces } from "./splits.js";

/** What may be shown by the plain definition: up to the first end of a stop string, less the longest that ends there. */
function expected(text, strings) {
  for (let end = 1; end <= text.length; end++) {
    const found = strings.filter((stop) => text.slice(0, end).endsWith(stop)).sort((a, b) => b.length - a.length)[0];
    if (found) return { shown: text.slice(0, end - found.length), isStopped: true };
  }
  return { shown: text, isStopped: false };
}

/** Streams the pieces; looks at every step that what may become a stop string is held, and no more than that. */
function streamed(pieces, strings, before = "") {
  const stops = new Stops(strings, before);
  let came = "";
  let shown = "";
  for (const piece of pieces) {
    shown += stops.push(piece);
    if (stops.isStopped) break;
    came += piece;
    assert.equal(shown + came.slice(shown.length), came);
    assert.equal(came.length - shown.length, Math.min(came.length, begun(before + came, strings)));
  }
  shown += stops.end();
  if (stops.isStopped) assert.equal(stops.push("more"), "");
  return { shown, isStopped: stops.isStopped };
}

/** Length of the longest end of the text that a stop string begins with. */
function begun(text, strings) {
  for (let at = 0; at < text.length; at++) if (strings.some((stop) => stop.startsWith(text.slice(at)))) return text.length - at;
  return 0;
}

const CASES = [
  ["one two three", ["two"]],
  ["one two three", ["four"]],
  ["one tw", ["two"]],
  ["aaab and then", ["aab"]],
  ["abababac!", ["ababac"]],
  ["an ENDING", ["ENDING", "END"]],
  ["xabcdx", ["abcd", "bc"]],
  ["xabcx", ["abc", "bc"]],
  ["你好世界 🌍 后面", ["🌍 后"]],
  ["🌎🌎🌍", ["🌍"]],
  ["line\n\n\nUser: hi", ["\n\nUser:", "\nUser:"]],
  ["stop", ["stop"]],
  ["", ["stop"]],
  ["nothing asked", []],
  ["aaaa", ["a"]],
];

for (const [text, strings] of CASES) {
  test(`${JSON.stringify(text)} up to ${JSON.stringify(strings)}`, () => {
    const whole = expected(text, strings);
    assert.deepEqual(streamed([text], strings), whole);
    assert.deepEqual(streamed([...text], strings), whole);
    for (let cut = 0; cut <= text.length; cut++) {
      assert.deepEqual(streamed([text.slice(0, cut), text.slice(cut)], strings), whole);
    }
    for (let seed = 1; seed <= 20; seed++) assert.deepEqual(streamed(randomPieces(text, seed, 4), strings), whole);
  });
}

test("random texts over two letters, where beginnings and ends overlap most", () => {
  for (let seed = 1; seed <= 400; seed++) {
    const next = random(seed);
    const word = (length) => Array.from({ length }, () => (next() < 0.5 ? "a" : "b")).join("");
    const strings = Array.from({ length: 1 + Math.floor(next() * 3) }, () => word(2 + Math.floor(next() * 6)));
    const text = word(40);
    assert.deepEqual(streamed(randomPieces(text, seed, 5), strings), expected(text, strings), `${text} ${strings}`);
  }
});

test("a stop string that began in the text that is continued ends the answer; what was shown stays", () => {
  for (let cut = 1; cut < "ENDING".length; cut++) {
    const text = `${"ENDING".slice(cut)} more`;
    for (const pieces of [[text], [...text], text.match(/..?/g), text.match(/.{1,3}/g)]) {
      const got = streamed(pieces, ["ENDING"], `the ${"ENDING".slice(0, cut)}`);
      assert.deepEqual(got, { shown: "", isStopped: true });
    }
  }
  assert.deepEqual(streamed(["Xtra ", "END"], ["END"], "the E"), { shown: "Xtra ", isStopped: true });
  assert.deepEqual(streamed(["go on"], ["END"], "an END"), { shown: "go on", isStopped: false });
  assert.deepEqual(streamed(["aab"], ["aab"], "aaaa"), { shown: "", isStopped: true });
});

test("a long text that nearly holds the stop string again and again passes whole", () => {
  const text = "ab".repeat(20_000);
  const stops = new Stops(["abababababac"]);
  let shown = "";
  for (const unit of text) shown += stops.push(unit);
  assert.equal(text.length - shown.length, "abababababa".length - 1, "what ends the text may still become one");
  assert.equal(shown + stops.end(), text);
});
