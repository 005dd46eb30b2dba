import assert from "node:assert/strict";
import { test } from "node:test";
import { Vocabulary } from "../../worker/detokenizer.js";
import { Said } from "../../worker/engines/said.js";

/** One token a byte, written as GPT-2 does: those of 你 (e4 bd a0) and some letters. */
const BYTES = { e4: "ä", bd: "½", a0: "ł" };
const vocab = { a: 0, b: 1, [BYTES.e4]: 2, [BYTES.bd]: 3, [BYTES.a0]: 4 };
const vocabulary = new Vocabulary({ model: { vocab }, decoder: { type: "ByteLevel" }, added_tokens: [] });
const ASKED = [{ role: "system", content: "be" }, { role: "user", content: "go" }];
const said = (...ids) => {
  const made = new Said(vocabulary, ASKED, "", [7, 8]);
  for (const id of ids) made.push(id);
  return made;
};

test("a character cut in its middle is completed by what follows", () => {
  const cut = said(0, 2, 3);
  assert.equal(cut.text, "a");
  assert.ok(cut.isAnswerTo(ASKED, "a"));
  assert.equal(cut.push(4), "你");
  assert.deepEqual(cut.ids, [7, 8, 0, 2, 3, 4]);
});

test("the model's own end shows what never became whole", () => {
  const ended = said(0, 2);
  assert.equal(ended.end(), "\ufffd");
  assert.ok(ended.isAnswerTo(ASKED, "a\ufffd"));
});

test("only the same answer to the same messages goes on", () => {
  const made = said(0, 1);
  assert.ok(made.isAnswerTo(structuredClone(ASKED), "ab"));
  assert.ok(!made.isAnswerTo(ASKED, "a"));
  assert.ok(!made.isAnswerTo(ASKED.slice(1), "ab"));
  assert.ok(!made.isAnswerTo(ASKED.slice(0, 1), "ab"));
  assert.ok(!made.isAnswerTo([...ASKED, ...ASKED], "ab"));
  assert.ok(!made.isAnswerTo([{ ...ASKED[0], content: "be kind" }, ASKED[1]], "ab"));
  assert.ok(!made.isAnswerTo([{ ...ASKED[0], role: "user" }, ASKED[1]], "ab"));
});
