import assert from "node:assert/strict";
import { test } from "node:test";
import { Batcher } from "../../worker/batcher.js";
import { FRAME_MS, MAX_UNPAINTED } from "../../worker/protocol.js";
import { random, randomPieces, TEXTS } from "./splits.js";

/** A clock that stands still until told to move. */
class TestClock {
  #now = 0;
  #timers = [];

  now = () => this.#now;
  after = (callback, ms) => this.#timers.push({ at: this.#now + ms, callback });

  advance(ms) {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
  }
}

function setUp() {
  const clock = new TestClock();
  const sent = [];
  return { clock, sent, batcher: new Batcher((batch) => sent.push(batch), clock) };
}

const texts = (sent) => sent.map(({ text }) => text);

test("the first text leaves at once", () => {
  const { sent, batcher } = setUp();
  batcher.push("a");
  assert.deepEqual(sent, [{ batch: 1, text: "a", tokens: 1 }]);
});

test("text after a pause leaves at once", () => {
  const { clock, sent, batcher } = setUp();
  batcher.push("a");
  batcher.painted(1);
  clock.advance(500);
  batcher.push("b");
  assert.deepEqual(texts(sent), ["a", "b"]);
});

test("within a frame text pools, and the frame's end sends it without another push", () => {
  const { clock, sent, batcher } = setUp();
  for (const text of "abc") batcher.push(text);
  assert.deepEqual(texts(sent), ["a"]);
  clock.advance(FRAME_MS);
  assert.deepEqual(sent.at(-1), { batch: 2, text: "bc", tokens: 2 });
});

test("an acknowledgement does not make a second message in the same frame", () => {
  const { clock, sent, batcher } = setUp();
  batcher.push("a");
  batcher.push("b");
  batcher.painted(1);
  assert.deepEqual(texts(sent), ["a"]);
  clock.advance(FRAME_MS);
  assert.deepEqual(texts(sent), ["a", "b"]);
});

test("a page that paints nothing gets MAX_UNPAINTED batches and then silence", () => {
  const { clock, sent, batcher } = setUp();
  for (let i = 0; i < 1000; i++) {
    batcher.push("x");
    clock.advance(FRAME_MS);
  }
  assert.equal(sent.length, MAX_UNPAINTED);
  assert.equal(batcher.pendingLength, 1000 - texts(sent).join("").length);
});

test("a page that comes back gets all that pooled in one batch", () => {
  const { clock, sent, batcher } = setUp();
  for (const text of "abcdef") {
    batcher.push(text);
    clock.advance(FRAME_MS);
  }
  batcher.painted(2);
  assert.deepEqual(texts(sent), ["a", "b", "cdef"]);
});

test("an acknowledgement that comes late or twice counts once", () => {
  const { clock, sent, batcher } = setUp();
  batcher.push("a");
  clock.advance(FRAME_MS);
  batcher.push("b");
  batcher.painted(2);
  batcher.painted(1);
  for (const text of "cdef") {
    clock.advance(FRAME_MS);
    batcher.push(text);
  }
  assert.equal(sent.length, 2 + MAX_UNPAINTED);
});

test("a token that completes no character is counted with the next text", () => {
  const { sent, batcher } = setUp();
  batcher.push("");
  batcher.push("世");
  assert.deepEqual(sent, [{ batch: 1, text: "世", tokens: 2 }]);
});

test("close hands back the rest, and nothing leaves afterwards", () => {
  const { clock, sent, batcher } = setUp();
  for (const text of "abc") batcher.push(text);
  assert.deepEqual(batcher.close(), { text: "bc", tokens: 2 });
  clock.advance(FRAME_MS * 10);
  batcher.painted(1);
  assert.deepEqual(texts(sent), ["a"]);
});

test("room waits for a slow page and wakes when it takes the text", async () => {
  const { clock, batcher } = setUp();
  for (let i = 0; i < 4; i++) {
    batcher.push("xxxx");
    clock.advance(FRAME_MS);
  }
  let woken = false;
  const waiting = batcher.room(4).then(() => (woken = true));
  await Promise.resolve();
  assert.equal(woken, false);
  batcher.painted(2);
  await waiting;
  assert.equal(batcher.pendingLength, 0);
});

test("whatever the pace of both sides: all text, in order, within the bounds", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const { clock, sent, batcher } = setUp();
    const next = random(seed);
    const text = TEXTS.join("\n").repeat(5);
    const sentAt = [];
    let painted = 0;
    for (const piece of seed % 2 ? randomPieces(text, seed) : text.split("")) {
      const before = sent.length;
      batcher.push(piece);
      if (next() < 0.5) clock.advance(next() * 40);
      if (next() < 0.3 && painted < sent.length) batcher.painted((painted += 1 + Math.floor(next() * (sent.length - painted))));
      if (sent.length > before) sentAt.push(clock.now());
      assert.ok(sent.length - painted <= MAX_UNPAINTED);
    }
    assert.equal(texts(sent).join("") + batcher.close().text, text);
    assert.deepEqual(sent.map(({ batch }) => batch), sent.map((_, i) => i + 1));
    assert.ok(sent.length <= clock.now() / FRAME_MS + 1, "at most one message a frame");
  }
});
