import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, ThinkingSplitter } from "../../web/thinking.js";
import { randomPieces } from "./splits.js";

/** @param {Iterable<string>} pieces */
function parted(pieces) {
  let [thinking, answer] = ["", ""];
  const splitter = new ThinkingSplitter(
    (text) => (thinking += text),
    (text) => (answer += text),
  );
  for (const piece of pieces) splitter.write(piece);
  splitter.end();
  return { thinking, answer };
}

const TICK = "`";
const CASES = {
  "no thinking": ["Just an answer.", "", "Just an answer."],
  "thinking, then the answer": ["<think>\nI wonder.\n</think>\n\nYes.", "\nI wonder.\n", "Yes."],
  "in one piece": ["<think>a</think>Answer", "a", "Answer"],
  "empty thinking": ["<think>\n\n</think>\n\nAnswer", "\n\n", "Answer"],
  "spaces before it": [" \n<think>a</think>b", "a", "b"],
  "never closed": ["<think>on and on", "on and on", ""],
  "half a tag at the end": ["<think>a</thin", "a</thin", ""],
  "half a tag at the start": ["<thin", "", "<thin"],
  "not at the start": ["See <think>a</think>", "", "See <think>a</think>"],
  "a second one is text": ["<think>a</think>b <think>c</think>", "a", "b <think>c</think>"],
  "literal in code": [`<think>The tag ${TICK}</think>${TICK} ends it.</think>b`, `The tag ${TICK}</think>${TICK} ends it.`, "b"],
  "literal in a longer run": ["<think>``a ` </think>`` c</think>b", "``a ` </think>`` c", "b"],
  "literal in a fence": ["<think>\n```\n</think>\n```\n</think>b", "\n```\n</think>\n```\n", "b"],
  "a backtick left open": [`<think>it's ${TICK}x\n</think>b`, `it's ${TICK}x\n`, "b"],
  "a backtick left open in the paragraph before": [`<think>a ${TICK}x\n\nb</think>c`, `a ${TICK}x\n\nb`, "c"],
  "empty lines inside": ["<think>a\n\nb\n\n\nc</think>\nd", "a\n\nb\n\n\nc", "d"],
  "other angles": ["<think>a < b </thinking> <b></think>c", "a < b </thinking> <b>", "c"],
};

for (const [name, [text, thinking, answer]] of Object.entries(CASES)) {
  test(`${name}, over every split`, () => {
    assert.deepEqual(parted([text]), { thinking, answer });
    assert.deepEqual(parted([...text]), { thinking, answer });
    for (let seed = 1; seed <= 50; seed++) assert.deepEqual(parted(randomPieces(text, seed)), { thinking, answer });
    for (let at = 1; at < text.length; at++) {
      assert.deepEqual(parted([text.slice(0, at), text.slice(at)]), { thinking, answer });
    }
    assert.equal(answerOf(text), answer);
  });
}
