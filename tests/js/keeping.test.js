import assert from "node:assert/strict";
import { test } from "node:test";
import { Archive } from "../../web/keeping/archive.js";
import { joined, merged } from "../../web/keeping/merge.js";
import { Removed } from "../../web/keeping/changes.js";
import { excerptOf, finder } from "../../web/keeping/search.js";
import { MOST_OPEN, Writer } from "../../web/keeping/writer.js";
import { random, randomPieces, TEXTS } from "./splits.js";

const conversation = (fields) => ({ id: "c", title: "Title", createdAt: 10, changedAt: 10, leaf: null, ...fields });
const message = (fields) => ({
  ...{ id: "m", conversation: "c", parent: null, role: "assistant", text: "", state: "done", at: 1, figures: null },
  ...fields,
});
const append = (n, text, start, id = "m") => ({ type: "append", n, conversation: "c", message: id, start, text });

/** Appends that write the text. */
function appends(pieces) {
  let start = 0;
  return pieces.map((text, i) => append(i + 1, text, (start += text.length) - text.length));
}

test("two tabs change title and leaf of one conversation, and neither is lost", () => {
  const first = merged(undefined, undefined, conversation({}));
  const renamed = merged(first, conversation({}), conversation({ title: "New", changedAt: 20 }));
  const both = merged(renamed, conversation({}), conversation({ leaf: "m", changedAt: 30 }));
  assert.equal(both.title, "New", "the second tab knew the old title, and did not write it");
  assert.equal(both.leaf, "m");
  assert.equal(both.changedAt, 30);
  const late = merged(both, conversation({}), conversation({ title: "Older", changedAt: 15 }));
  assert.equal(late.title, "New", "of two changes the later one stays, whichever comes last");
  assert.equal(late.changedAt, 30);
  const unknown = merged(both, undefined, conversation({ title: "Newest", changedAt: 40 }));
  assert.equal(unknown.title, "Newest", "a tab that never read it writes all of it");
});

test("pieces give the text however they were cut, also when some were written twice", () => {
  const text = TEXTS.join("\n").repeat(5);
  for (let seed = 1; seed <= 30; seed++) {
    const first = appends(randomPieces(text, seed));
    const { start } = first[first.length >> 1];
    // The worker after it is told again what the first may not have stored.
    const again = appends(randomPieces(text.slice(start), seed + 100)).map((piece) => ({ ...piece, start: piece.start + start }));
    const byStart = new Map([...first, ...again].map((piece) => [piece.start, piece]));
    const rows = [...byStart.values()].sort((a, b) => a.start - b.start);
    assert.ok(rows.length > first.length);
    assert.equal(joined("", rows), text);
  }
  assert.equal(joined("ab", [{ start: 2, text: "cd" }, { start: 5, text: "fg" }]), "abcd", "what follows a gap has no place");
  assert.equal(joined("abc", [{ start: 0, text: "ab" }, { start: 2, text: "cde" }]), "abcde");
});

/** A writer whose transactions end when they are released, in any order. */
function heldWriter(onFailed = assert.fail) {
  const stored = [];
  const through = [];
  const held = [];
  const store = async (writes, before) => {
    stored.push(writes);
    await new Promise((resolve, reject) => held.push({ resolve, reject }));
    await before;
  };
  return { writer: new Writer(store, (n) => through.push(n), onFailed), stored, through, held };
}
const turn = () => new Promise(setImmediate);

test("what comes before the store is open is one transaction", async () => {
  const { writer, stored, held } = heldWriter();
  const pieces = randomPieces("Some words that stream. ".repeat(40), 7);
  for (const each of appends(pieces)) writer.add(each);
  const settled = writer.settled();
  assert.equal(stored.length, 0);
  writer.start();
  assert.deepEqual(stored.map((writes) => writes.map(({ start, text }) => [start, text])), [[[0, pieces.join("")]]]);
  held[0].resolve();
  await settled;
});

test("each write is a transaction at once, until too many are open; then they pool, in order", async () => {
  const { writer, stored, through, held } = heldWriter();
  writer.start();
  const pieces = randomPieces("Some words that stream. ".repeat(100), 8);
  const all = appends(pieces);
  assert.ok(all.length > 3 * MOST_OPEN);
  for (const each of all) writer.add(each);
  writer.add({ type: "put-messages", n: 1000, messages: [] });
  let isSettled = false;
  const settled = writer.settled().then(() => (isSettled = true));
  assert.deepEqual(stored, all.slice(0, MOST_OPEN).map((each) => [each]));
  held[1].resolve();
  await turn();
  assert.deepEqual(through, [], "one after the other");
  held[0].resolve();
  await turn();
  assert.deepEqual(through, [1, 2]);
  assert.equal(stored.length, MOST_OPEN + 1, "all that pooled is one transaction");
  assert.deepEqual(stored.at(-1).map(({ type }) => type), ["append", "put-messages"]);
  assert.equal(stored.flat().map(({ text }) => text ?? "").join(""), pieces.join(""));
  assert.equal(stored.at(-1)[0].start, all[MOST_OPEN].start);
  held.slice(2, -1).forEach(({ resolve }) => resolve());
  await turn();
  assert.equal(isSettled, false, "what was asked about has come, and is not stored");
  held.at(-1).resolve();
  await settled;
  assert.deepEqual(through, [...Array.from({ length: MOST_OPEN }, (_, i) => i + 1), 1000]);
  await writer.settled();
});

test("pieces of two answers are not mixed, and a gap is not closed", () => {
  const { writer, stored } = heldWriter();
  for (const each of [append(1, "x", 0), append(2, "a", 1), append(3, "b", 2, "other"), append(4, "c", 2), append(5, "d", 9)]) writer.add(each);
  writer.start();
  assert.deepEqual(stored[0].map(({ message, start, text }) => [message, start, text]), [
    ["m", 0, "xa"],
    ["other", 2, "b"],
    ["m", 2, "c"],
    ["m", 9, "d"],
  ]);
});

test("a failed transaction is told, and nothing after it is said to be stored", async () => {
  const failed = [];
  const { writer, through, held } = heldWriter((error) => failed.push(error.message));
  writer.start();
  for (const each of appends(["a", "b", "c"])) writer.add(each);
  held[0].resolve();
  held[2].resolve();
  held[1].reject(new Error("disk"));
  await turn();
  assert.deepEqual(through, [1]);
  assert.equal(failed[0], "disk");
});

test("what is written to a removed conversation is dropped", () => {
  const writes = [
    append(1, "x", 0),
    { type: "put-messages", n: 2, messages: [message({}), message({ conversation: "d" })] },
    { type: "put-conversation", n: 3, conversation: conversation({}) },
  ];
  const elsewhere = new Removed();
  elsewhere.other({ kind: "deleted", conversation: "c" });
  const left = elsewhere.without(writes);
  assert.deepEqual(left.map(({ type, messages }) => [type, messages?.length]), [["put-messages", 1]]);
  elsewhere.other({ kind: "conversation", conversation: "c" });
  assert.equal(elsewhere.without(writes).length, 3, "the tab that removed it has put it back");
  const here = new Removed();
  here.without([{ type: "remove-conversation", n: 1, conversation: "c" }]);
  assert.equal(here.without(writes.slice(0, 1)).length, 0);
  here.other({ kind: "deleted", conversation: "c" });
  assert.equal(here.without(writes.slice(2)).length, 1, "who removed it can put it back, also where another tab did, too");
  assert.equal(here.without(writes.slice(0, 1)).length, 1);
});

test("a query finds what a person would find", () => {
  const found = (query, text) => {
    const match = finder(query)(text);
    return match && text.slice(match.start, match.end);
  };
  assert.equal(found("WORLD", "hello world"), "world");
  assert.equal(found("straße", "DIE STRAẞE"), "STRAẞE");
  assert.equal(found("世界", "你好世界 🌍"), "世界");
  assert.equal(found("🌍", "你好世界 🌍"), "🌍");
  assert.equal(found("two words", "two\n  words"), "two\n  words");
  assert.equal(found("привет", "ПРИВЕТ"), "ПРИВЕТ");
  assert.equal(found("a.c", "abc a.c"), "a.c");
  for (const odd of ["(", "[a", "a{2,}", "\\", "$^", "*", "a|b", "/", "-", "#", "&&", "]"]) {
    assert.equal(found(odd, `before ${odd} after`), odd);
    assert.equal(found(odd, "nothing of it"), null);
  }
  assert.equal(found("İ", "xİy"), "İ");
  assert.equal(finder("   "), null);
  assert.equal(finder(""), null);
});

test("an excerpt is one line around the match, of whole characters", () => {
  const find = finder("needle");
  const excerpt = (text) => excerptOf(text, find(text));
  assert.equal(excerpt("a needle here"), "a needle here");
  assert.equal(excerpt(`${"x ".repeat(50)}\n\nNeedle\n${" y".repeat(50)}`), `…${"x ".repeat(7)}Needle${" y".repeat(29)}…`);
  const next = random(3);
  const times = (most) => Math.floor(next() * most);
  for (let i = 0; i < 200; i++) {
    const text = `${"🌍".repeat(times(80 + 1))}${"a".repeat(times(2 + 1))}needle${"a".repeat(times(2 + 1))}${"👩‍💻".repeat(times(80 + 1))}`;
    assert.ok(excerpt(text).isWellFormed());
    assert.match(excerpt(text), /needle/);
    assert.ok(excerpt(text).length < 140);
  }
  const long = finder("a".repeat(5000));
  const text = "a".repeat(6000);
  assert.ok(excerptOf(text, long(text)).length < 140);
});

/** An archive without a database, as a page has it that cannot keep anything. */
function memoryArchive() {
  const answers = new Map();
  const events = {
    post: ({ type, id, value, failure }) => {
      if (type === "answer") answers.get(id).resolve(value);
      else if (type === "refused") answers.get(id).reject(failure);
    },
    changed: () => assert.fail("nothing was kept"),
    broken: assert.fail,
  };
  const archive = new Archive(events, null);
  let n = 0;
  return {
    write: (write) => archive.receive({ ...write, n: (n += 1) }),
    ask: (question) => {
      const id = (n += 1);
      const answer = Promise.withResolvers();
      answers.set(id, answer);
      archive.receive({ type: "ask", id, question });
      return answer.promise;
    },
  };
}

test("without a database all is remembered", async () => {
  const { write, ask } = memoryArchive();
  const text = TEXTS.join("\n");
  write({ type: "put-conversation", conversation: conversation({}) });
  write({ type: "put-conversation", conversation: conversation({ id: "d", changedAt: 20 }) });
  write({ type: "put-messages", messages: [message({ state: "done", at: 2, text: "begun: " }), message({ id: "a", at: 1, text: "first" })] });
  let start = "begun: ".length;
  for (const piece of randomPieces(text, 5)) {
    write(append(0, piece, start));
    start += piece.length;
  }
  assert.deepEqual((await ask({ of: "conversations" })).map(({ id }) => id), ["d", "c"]);
  const messages = await ask({ of: "messages", conversation: "c" });
  assert.deepEqual(messages.map((each) => [each.id, each.text]), [["a", "first"], ["m", `begun: ${text}`]]);
  write({ type: "put-messages", messages: [message({ text: "begun anew, and whole" })] });
  write({ type: "remove-messages", conversation: "c", ids: ["a"] });
  assert.deepEqual((await ask({ of: "messages", conversation: "c" })).map((each) => each.text), ["begun anew, and whole"]);
  write({ type: "remove-conversation", conversation: "d" });
  assert.deepEqual((await ask({ of: "conversations" })).map(({ id }) => id), ["c"]);
  const exported = await ask({ of: "export", ids: null });
  assert.deepEqual(await ask({ of: "import", file: exported }), { conversations: 1, messages: 1 });
  assert.equal((await ask({ of: "conversations" })).length, 2, "an import replaces nothing");
  await assert.rejects(ask({ of: "import", file: new Blob(["[{"]) }), { code: "import_invalid" });
});

test("a search is in order, bounded, and ended by a newer one", async () => {
  const { write, ask } = memoryArchive();
  for (let i = 0; i < 200; i++) {
    const id = `c${i}`;
    write({ type: "put-conversation", conversation: conversation({ id, title: i % 50 === 0 ? "A Needle" : "", changedAt: i }) });
    const texts = [`the needle of ${i}`, "hay", `newest needle of ${i}`, "more hay"];
    write({ type: "put-messages", messages: texts.map((text, at) => message({ id: `${id}-${at}`, conversation: id, text, at })) });
  }
  const all = await ask({ of: "search", query: "needle", limit: 1000 });
  assert.deepEqual(all.map(({ conversation: { id } }) => id), Array.from({ length: 200 }, (_, i) => `c${199 - i}`));
  assert.deepEqual([all[0].excerpt, all[0].at], ["newest needle of 199", 2]);
  assert.deepEqual([all[49].excerpt, all[49].at], ["", 150], "of a title nothing more is shown");
  assert.equal((await ask({ of: "search", query: "hay", limit: 50 })).length, 50);
  const older = ask({ of: "search", query: "needle", limit: 1000 });
  const newer = ask({ of: "search", query: "of 7", limit: 1000 });
  assert.deepEqual(await older, []);
  assert.equal((await newer).length, 11);
  assert.deepEqual(await ask({ of: "search", query: " ", limit: 50 }), []);
});
