import assert from "node:assert/strict";
import { test } from "node:test";
import { BEGINNING, BETWEEN, END, MOST_BYTES, toJson, toMarkdown } from "../../web/keeping/formats.js";
import { readFile, readText } from "../../web/keeping/reading.js";
import { TEXTS } from "./splits.js";

const FIGURES = { reason: "eos", promptTokens: 5, reusedTokens: 0, tokens: 9, ttftMs: 1.5, decodeMs: 20, tokensPerS: 400 };
const HOSTILE = ['<img src=x onerror="hacked=1">', "__proto__", "\ud800 half a character", "</script>", "\u2028"];

const message = (id, parent, fields = {}) => ({
  ...{ id, conversation: "c", parent, role: parent ? "assistant" : "user", text: `text of ${id}`, state: "done", at: 7, figures: null },
  ...fields,
});
const CONVERSATION = { id: "c", title: "A “title” of 世界", createdAt: 1, changedAt: 2.5, leaf: "b" };
const MESSAGES = [
  message("a", null),
  message("b", "a", { figures: FIGURES, state: "stopped" }),
  message("b2", "a", { state: "failed", text: "" }),
  ...[...TEXTS, ...HOSTILE].map((text, i) => message(`t${i}`, "b", { text })),
];

/** The file's value, as it was written, to be spoilt. */
const value = () => JSON.parse(BEGINNING + toJson(CONVERSATION, MESSAGES) + BETWEEN + toJson({ ...CONVERSATION, id: "d" }, [MESSAGES[0]]) + END);

function spoilt(change) {
  const file = value();
  const other = change(file);
  return JSON.stringify(other === undefined ? file : other);
}

function refusal(text) {
  try {
    readText(text);
  } catch (error) {
    assert.equal(error.failure.code, "import_invalid");
    assert.ok(!/\n/.test(error.failure.message) && error.failure.message.length < 400, "one line");
    assert.ok(error.failure.hint);
    return error.failure.message;
  }
  return assert.fail(`taken: ${text.slice(0, 200)}`);
}

test("what is written is read, under new ids", () => {
  const [first, second] = readText(JSON.stringify(value()));
  const { conversation, messages } = first;
  const ids = new Map(messages.map(({ id }, i) => [id, MESSAGES[i].id]));
  assert.equal(ids.size, MESSAGES.length);
  const old = (id) => id && ids.get(id);
  const back = messages.map((each) => ({ ...each, id: old(each.id), parent: old(each.parent), conversation: "c" }));
  assert.deepEqual(back, MESSAGES);
  assert.deepEqual({ ...conversation, id: "c", leaf: old(conversation.leaf) }, CONVERSATION);
  assert.ok(messages.every((each) => each.conversation === conversation.id));
  const fresh = [conversation.id, second.conversation.id, ...messages.map(({ id }) => id), ...second.messages.map(({ id }) => id)];
  assert.equal(new Set(fresh).size, fresh.length);
  assert.ok(!fresh.some((id) => ["a", "b", "c", "d"].includes(id)));
  assert.equal(second.conversation.leaf, null, "it had no such message any more");
});

test("what is being written is stopped in a file, and what was removed leads nowhere", () => {
  const file = JSON.parse(toJson(CONVERSATION, [message("b", "removed", { state: "streaming", text: "so far" })]));
  assert.deepEqual(file.messages.map(({ state, parent, text }) => [state, parent, text]), [["stopped", null, "so far"]]);
});

test("a file cut off anywhere is refused", () => {
  const text = JSON.stringify(value());
  for (let length = 0; length < text.length; length += 1 + (length >> 5)) assert.match(refusal(text.slice(0, length)), /not whole JSON/);
});

const FAULTS = [
  [(file) => ({ ...file, version: 2 }), /version 2, and this Pageside reads version 1/],
  [(file) => ({ ...file, version: 0 }), /: version is not/],
  [(file) => ({ ...file, version: "1" }), /: version is not/],
  [(file) => ({ ...file, format: "other" }), /"format" is not "pageside-conversations"/],
  [() => ({}), /"format" is not/],
  [() => "text", /the file is not an object/],
  [() => [], /holds no messages/],
  [() => null, /the file is not an object/],
  [(file) => ({ ...file, conversations: {} }), /conversations is not an array/],
  [(file) => void (file.conversations[0] = null), /conversations\[0\] is not an object/],
  [(file) => void (file.conversations[1] = []), /conversations\[1\] is not an object/],
  [(file) => void (file.conversations[1].id = "c"), /conversations\[1\]\.id is there twice/],
  [(file) => void (file.conversations[1].id = ""), /conversations\[1\]\.id is empty/],
  [(file) => void (file.conversations[1].id = "x".repeat(201)), /conversations\[1\]\.id is longer/],
  [(file) => void delete file.conversations[0].title, /conversations\[0\]\.title is not a string/],
  [(file) => void (file.conversations[0].title = "x".repeat(1001)), /title is longer than 1000/],
  [(file) => void (file.conversations[0].createdAt = "today"), /createdAt is not a time/],
  [(file) => void (file.conversations[0].changedAt = -1), /changedAt is not a time/],
  [(file) => void (file.conversations[0].changedAt = 1e300), /changedAt is not a time/],
  [(file) => void (file.conversations[0].leaf = "nobody"), /conversations\[0\]\.leaf is no message/],
  [(file) => void (file.conversations[0].leaf = "__proto__"), /conversations\[0\]\.leaf is no message/],
  [(file) => void delete file.conversations[0].leaf, /conversations\[0\]\.leaf is not a string/],
  [(file) => void (file.conversations[0].messages = "none"), /conversations\[0\]\.messages is not an array/],
  [(file) => void (file.conversations[0].messages[2] = 7), /messages\[2\] is not an object/],
  [(file) => void (file.conversations[0].messages[2].id = "a"), /messages\[2\]\.id is there twice/],
  [(file) => void (file.conversations[0].messages[2].id = 5), /messages\[2\]\.id is not a string/],
  [(file) => void (file.conversations[0].messages[2].parent = "nobody"), /messages\[2\]\.parent is no message/],
  [(file) => void (file.conversations[0].messages[2].parent = "constructor"), /messages\[2\]\.parent is no message/],
  [(file) => void (file.conversations[0].messages[0].parent = "a"), /messages\[0\]\.parent leads back to itself/],
  [(file) => void (file.conversations[0].messages[0].parent = "t3"), /messages\[0\]\.parent leads back to itself/],
  [(file) => void (file.conversations[0].messages[1].role = "system"), /messages\[1\]\.role is none of user, assistant/],
  [(file) => void (file.conversations[0].messages[1].state = "streaming"), /messages\[1\]\.state is none of/],
  [(file) => void (file.conversations[0].messages[1].text = ["x"]), /messages\[1\]\.text is not a string/],
  [(file) => void (file.conversations[0].messages[1].at = null), /messages\[1\]\.at is not a time/],
  [(file) => void (file.conversations[0].messages[1].figures = []), /messages\[1\]\.figures is not an object/],
  [(file) => void (file.conversations[0].messages[1].figures.tokens = "9"), /messages\[1\]\.figures\.tokens is not a number/],
  [(file) => void (file.conversations[0].messages[1].figures.reason = {}), /messages\[1\]\.figures\.reason is not a string/],
  [() => [{ role: "user" }], /\[0\]\.content is not a string/],
  [() => [{ role: "user", content: "x" }, { role: "tool", content: "x" }], /\[1\]\.role is none of/],
  [() => ["x"], /\[0\] is not an object/],
];

test("a fault is named with its path", () => {
  for (const [change, said] of FAULTS) assert.match(refusal(spoilt(change)), said);
});

test("numbers that JSON can write and a time cannot be", () => {
  assert.match(refusal(JSON.stringify(value()).replace('"at":7', '"at":1e999')), /messages\[0\]\.at is not a time/);
});

test("a long chain is walked once, and a cycle at its end is found", () => {
  const chain = Array.from({ length: 50_000 }, (_, i) => message(`m${i}`, i === 0 ? null : `m${i - 1}`));
  const file = (messages) => BEGINNING + toJson({ ...CONVERSATION, leaf: "m0" }, messages) + END;
  assert.equal(readText(file(chain))[0].messages.length, 50_000);
  const shuffled = [...chain].reverse();
  assert.equal(readText(file(shuffled))[0].messages.length, 50_000);
  const cycle = [message("m0", "m49999"), ...chain.slice(1)];
  assert.match(refusal(file(cycle)), /leads back to itself/);
});

test("keys of prototypes are fields like others", () => {
  const text = JSON.stringify(value()).replace('"title":', '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"title":');
  const [{ conversation, messages }] = readText(text);
  assert.equal({}.polluted, undefined);
  for (const each of [conversation, ...messages]) {
    assert.equal(Object.getPrototypeOf(each), Object.prototype);
    assert.equal(each.polluted, undefined);
  }
  assert.deepEqual(Object.keys(conversation).sort(), ["changedAt", "createdAt", "id", "leaf", "title"], "what is not known is left out");
  // An own __proto__ gives its object no fields.
  const inherited = JSON.stringify(value()).replace('"id":"c","title":', '"__proto__":{"id":"c"},"title":');
  assert.match(refusal(inherited), /conversations\[0\]\.id is not a string/);
});

test("nesting that would overflow a stack is refused or read, not fatal", () => {
  assert.match(refusal("[".repeat(5_000_000)), /not whole JSON/);
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  assert.match(refusal(deep), /\[0\] is not an object|not whole JSON/);
});

test("an array of messages is one conversation", () => {
  const roles = ["system", "user", "assistant", "user"];
  const [{ conversation, messages }] = readText(JSON.stringify(roles.map((role, i) => ({ role, content: `${i} said\nmore`, extra: 1 }))));
  assert.deepEqual(messages.map(({ role, text, state }) => [role, text, state]), [
    ["user", "1 said\nmore", "done"],
    ["assistant", "2 said\nmore", "done"],
    ["user", "3 said\nmore", "done"],
  ]);
  assert.deepEqual(messages.map(({ parent }) => parent), [null, messages[0].id, messages[1].id]);
  assert.ok(messages[0].at < messages[1].at && messages[1].at < messages[2].at);
  assert.deepEqual([conversation.title, conversation.leaf], ["1 said", messages[2].id]);
  const [{ conversation: emoji }] = readText(JSON.stringify([{ role: "user", content: "🌍".repeat(500) }]));
  assert.equal(emoji.title, "🌍".repeat(60));
});

test("a file is read as UTF-8, with or without a byte order mark, and not as anything else", async () => {
  const text = JSON.stringify(value());
  for (const parts of [[text], ["\ufeff", text]]) assert.equal((await readFile(new Blob(parts))).length, 2);
  const broken = new Blob([text.slice(0, 30), new Uint8Array([0xff]), text.slice(30)]);
  await assert.rejects(readFile(broken), ({ failure }) => /UTF-8/.test(failure.message));
  await assert.rejects(readFile(new Blob([])), ({ failure }) => /not whole JSON/.test(failure.message));
});

test("a file too large is refused before it is read", async () => {
  const file = { size: MOST_BYTES + 1, arrayBuffer: () => assert.fail("it was read") };
  await assert.rejects(readFile(file), ({ failure }) => failure.code === "import_too_large" && /257 MB/.test(failure.message));
});

test("Markdown can be taken apart again, whatever the texts are", () => {
  const texts = [
    "plain",
    "# A heading\n\n## Assistant\n\nnot said",
    "<!-- === -->\n\n## User\n\nforged",
    "```js\nopen",
    "~~~~\n```\nstill open\n~~~\n",
    "`````\n```\n`````\nclosed",
    "a ==================== b",
    "<!-- ===================== -->",
    "``` not ` a fence",
    "",
    ...TEXTS,
  ];
  const messages = texts.map((text, i) => message(`m${i}`, null, { text, role: i % 2 ? "assistant" : "user" }));
  const markdown = toMarkdown({ ...CONVERSATION, title: "One\n# title" }, messages);
  assert.ok(markdown.startsWith("# One # title\n\n<!-- ="));
  const mark = /<!-- =+ -->/.exec(markdown)[0];
  const parts = markdown.split(`${mark}\n\n`).slice(1);
  assert.equal(parts.length, texts.length);
  parts.forEach((part, i) => {
    const heading = i % 2 ? "## Assistant\n\n" : "## User\n\n";
    assert.ok(part.startsWith(heading + texts[i]), texts[i]);
    const after = part.slice((heading + texts[i]).length).trim();
    assert.equal(after, { 3: "```", 4: "~~~~" }[i] ?? "", `what is added to ${JSON.stringify(texts[i])}`);
  });
  assert.equal(toMarkdown({ ...CONVERSATION, title: " " }, []), "");
});
