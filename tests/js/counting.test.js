import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter } from "../../web/counter.js";
import { countTokens } from "../../worker/engines/counting.js";
import { macrotask } from "../../worker/turn.js";
import { random } from "./splits.js";

/** GPT-2's rule of what is tokenised by itself: a cut that changes these would change the tokens. */
const WORD = /'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
const wordsIn = (text) => text.match(WORD)?.length ?? 0;

function noise(length, seed) {
  const next = random(seed);
  const letters = ["a", "b", "é", "世", "🌍", " ", " ", " ", "  ", "\n", "7", ".", "'s", "-"];
  let text = "";
  while (text.length < length) text += letters[Math.floor(next() * letters.length)];
  return text;
}

test("slices count what the whole does where there are spaces", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const text = noise(15_000, seed);
    assert.deepEqual(await countTokens(text, Infinity, wordsIn), { tokens: wordsIn(text), isAtLeast: false });
  }
});

test("slices are the text, none is long, none cuts a character", async () => {
  for (const text of [noise(9000, 1), "世🌍".repeat(4000), "x".repeat(8193), " ".repeat(5000), "🌍".repeat(2048), ""]) {
    const slices = [];
    await countTokens(text, Infinity, (slice) => slices.push(slice));
    assert.equal(slices.join(""), text);
    for (const slice of slices) assert.ok(slice !== "" && slice.length <= 2048 && slice.isWellFormed());
  }
});

test("a text is not counted far beyond what the context window holds", async () => {
  let asked = 0;
  const counting = (slice) => ((asked += slice.length), wordsIn(slice));
  const { tokens, isAtLeast } = await countTokens("word ".repeat(1_000_000), 1000, counting);
  assert.ok(isAtLeast && tokens > 1000);
  assert.ok(asked <= 3 * 2048, `${asked} characters were tokenised`);
});

test("other tasks have their turn between slices", async () => {
  const order = [];
  const counted = countTokens("word ".repeat(2000), Infinity, () => order.push("slice"));
  const others = Array.from({ length: 3 }, () => macrotask().then(() => order.push("other")));
  await Promise.all([counted, ...others]);
  assert.ok(order.indexOf("other") < order.lastIndexOf("slice"), order.join(" "));
});

test("one count is under way, the newest of those that wait is next", async () => {
  const posted = [];
  const counter = new Counter((message) => posted.push(message));
  const counts = ["a", "ab", "abc"].map((text) => counter.count(text));
  assert.deepEqual(posted.map(({ text }) => text), ["a"]);
  assert.equal(await counts[1], null, "a newer text was asked about");
  counter.counted({ type: "counted", id: posted[0].id, count: { tokens: 1, isAtLeast: false } });
  assert.deepEqual(await counts[0], { tokens: 1, isAtLeast: false });
  assert.deepEqual(posted.map(({ text }) => text), ["a", "abc"]);
  counter.counted({ type: "counted", id: posted[1].id, count: null });
  assert.equal(await counts[2], null);
  counter.counted({ type: "counted", id: posted[1].id, count: null });
  assert.equal(posted.length, 2);
});

test("a worker that is gone leaves no count waiting, and its late word counts for nothing", async () => {
  const posted = [];
  const counter = new Counter((message) => posted.push(message));
  const before = [counter.count("a"), counter.count("b")];
  counter.lost();
  assert.deepEqual(await Promise.all(before), [null, null]);
  const after = counter.count("c");
  counter.counted({ type: "counted", id: posted[0].id, count: { tokens: 9, isAtLeast: false } });
  counter.counted({ type: "counted", id: posted[1].id, count: { tokens: 1, isAtLeast: false } });
  assert.deepEqual(await after, { tokens: 1, isAtLeast: false });
});
