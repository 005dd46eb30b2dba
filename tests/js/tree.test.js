/** @file The tree of a conversation's messages: branches, what is shown, what is taken out and in. */

import assert from "node:assert/strict";
import test from "node:test";

import { Tree } from "../../web/conversations/tree.js";

/**
 * @param {string} id
 * @param {string | null} parent
 * @param {Partial<import("../../web/keeping/types.js").StoredMessage>} [rest]
 */
let at = 0;
const message = (id, parent, rest = {}) => ({
  id, parent, conversation: "c", role: "user", text: id, state: "done", at: (at += 1), figures: null, ...rest,
});
const shown = (tree) => tree.path().map(({ id }) => id).join(" ");

/** a – b – c, and beside b an earlier version of it, b0 – c0. */
const branched = () => [
  message("a", null), message("b0", "a"), message("c0", "b0"), message("b", "a"), message("c", "b"),
];

test("the newest branch is shown, or the one with the leaf", () => {
  assert.equal(shown(new Tree(branched())), "a b c");
  assert.equal(shown(new Tree(branched(), "c0")), "a b0 c0");
  assert.equal(shown(new Tree(branched(), "b0")), "a b0 c0");
  assert.equal(shown(new Tree(branched(), "gone")), "a b c");
  assert.equal(shown(new Tree()), "");
});

test("messages come in any order", () => {
  assert.equal(shown(new Tree(branched().reverse(), "c0")), "a b0 c0");
  assert.deepEqual(new Tree(branched().reverse()).branches(message("b", "a")).ids, ["b0", "b"]);
});

test("an added message is shown", () => {
  const tree = new Tree(branched(), "c");
  tree.add(message("d0", "c0"));
  assert.equal(shown(tree), "a b0 c0 d0");
  assert.equal(tree.leaf.id, "d0");
});

test("branches tell which of them is meant", () => {
  const tree = new Tree(branched());
  assert.deepEqual(tree.branches(tree.get("b")), { ids: ["b0", "b"], at: 1 });
  assert.deepEqual(tree.branches(tree.get("a")), { ids: ["a"], at: 0 });
});

test("the way to a message does not hold the message", () => {
  const tree = new Tree(branched());
  assert.deepEqual(tree.before(tree.get("c0")).map(({ id }) => id), ["a", "b0"]);
  assert.deepEqual(tree.before(tree.get("a")), []);
});

test("a removed message takes what follows with it, and comes back whole", () => {
  const tree = new Tree(branched(), "c");
  const removed = tree.remove("b");
  assert.deepEqual(removed.map(({ id }) => id), ["b", "c"]);
  assert.equal(shown(tree), "a b0 c0");
  assert.equal(tree.get("c"), null);
  for (const each of removed) tree.add(each);
  assert.equal(shown(tree), "a b c");
  for (const each of tree.remove("b0")) tree.add(each);
  assert.deepEqual(tree.branches(tree.get("b")), { ids: ["b0", "b"], at: 1 });
  assert.deepEqual(tree.remove("nothing"), []);
});

test("all of it, parents first", () => {
  const order = new Tree(branched().reverse()).all().map(({ id }) => id);
  assert.deepEqual([...order].sort(), ["a", "b", "b0", "c", "c0"]);
  for (const { id, parent } of branched()) if (parent) assert.ok(order.indexOf(parent) < order.indexOf(id));
});

test("a message whose parent is gone begins a branch of its own", () => {
  const tree = new Tree([message("a", null), message("x", "gone")]);
  assert.equal(shown(tree), "x");
  assert.deepEqual(tree.branches(tree.get("a")).ids, ["a", "x"]);
});

test("what another tab did is taken in, and what is written here stays", () => {
  const tree = new Tree(branched(), "c");
  const mine = tree.get("c");
  const stored = [message("a", null), message("b", "a", { text: "b2" }), message("c", "b", { text: "old" }), message("d", "c")];
  const changed = tree.merge(stored, (id) => id === "c");
  assert.deepEqual([...changed].sort(), ["b", "b0", "c0", "d"]);
  assert.equal(shown(tree), "a b c d");
  assert.equal(tree.get("b").text, "b2");
  assert.equal(tree.get("c"), mine);
  assert.equal(mine.text, "c");
  assert.deepEqual([...tree.merge(stored, (id) => id === "c")], []);
});

test("ten thousand turns are no deeper than one", () => {
  const long = Array.from({ length: 10_000 }, (_, i) => message(`m${i}`, i ? `m${i - 1}` : null));
  const tree = new Tree(long);
  assert.equal(tree.path().length, 10_000);
  assert.equal(tree.all().length, 10_000);
  assert.equal(tree.remove("m0").length, 10_000);
});
