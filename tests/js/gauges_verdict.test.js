import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf } from "../../web/gauges/meter.js";
import { judge, Steady } from "../../web/gauges/verdict.js";

/** @import { Figures } from "../../web/gauges/meter.js" */
/** @import { Verdict } from "../../web/gauges/verdict.js" */

/** A page that shows thirty tokens a second as they come. */
const WELL = {
  batches: 150,
  tokensPerS: 30,
  stepMs: 33,
  deliveryP50Ms: 0.5,
  deliveryP95Ms: 2,
  commitP50Ms: 0.6,
  commitP95Ms: 1.5,
  lagP50Ms: 14,
  lagP95Ms: 24,
  framesShown: 150,
  framesMissed: 3,
  frameWorkP50Ms: 3,
  longTaskShare: 0,
  unpaintedBatches: 1,
  oldestUnpaintedMs: 8,
};

/** A page whose text is late; why is told beside it. */
const LATE = { ...WELL, lagP50Ms: 95, lagP95Ms: 101, framesMissed: 150 };

/**
 * @param {Partial<Figures>} given
 * @param {boolean} [isBusy]
 */
const judged = (given, isBusy = true) => judge({ ...figuresOf([], 0), ...given }, isBusy);

/** @type {[string, Partial<Figures>, string, string | null][]} */
const CASES = [
  ["shown as it comes", WELL, "model", "model"],
  ["nothing has come", {}, "model", "model"],
  ["nothing has come for a while", { ...WELL, batches: 0, lagP95Ms: null, framesShown: 0 }, "model", "model"],
  ["just under what is seen", { ...WELL, lagP95Ms: 100, framesMissed: 150 }, "model", "model"],
  ["one accident in few", { ...WELL, batches: 19, lagP95Ms: 900 }, "model", "model"],
  ["few frames tell nothing", { ...WELL, framesShown: 9, framesMissed: 90 }, "model", "model"],
  ["long commits that still come in time", { ...WELL, commitP95Ms: 20 }, "model", "model"],
  ["work in each frame", { ...LATE, frameWorkP50Ms: 62 }, "page", "paint"],
  ["work in each frame, few batches", { ...LATE, batches: 12, lagP50Ms: 110, frameWorkP50Ms: 62 }, "page", "paint"],
  ["long tasks between them", { ...LATE, longTaskShare: 0.4 }, "page", "paint"],
  ["its own commits", { ...LATE, frameWorkP50Ms: 40, commitP50Ms: 25, commitP95Ms: 35 }, "page", "dom"],
  ["work beside long commits", { ...LATE, frameWorkP50Ms: 62, commitP50Ms: 2, commitP95Ms: 25 }, "page", "paint"],
  ["a long commit now and then", { ...LATE, commitP95Ms: 35 }, "page", "dom"],
  ["frames missed alone", { ...WELL, framesMissed: 151, frameWorkP50Ms: 20 }, "page", "paint"],
  ["a batch that waits and waits", { ...WELL, oldestUnpaintedMs: 1500, longTaskShare: 0.3 }, "page", "paint"],
  ["a faster screen", { ...LATE, refreshMs: 1000 / 120, frameWorkP50Ms: 10 }, "page", "paint"],
  ["messages on their way", { ...LATE, deliveryP50Ms: 80, deliveryP95Ms: 90 }, "transport", "transport"],
  ["messages late beside late frames", { ...LATE, deliveryP50Ms: 5, deliveryP95Ms: 90 }, "machine", null],
  ["frames late in an idle page", LATE, "machine", null],
];

for (const [name, figures, limit, stage] of CASES) {
  test(`${name}: ${limit}`, () => {
    const verdict = judged(figures);
    assert.deepEqual([verdict.limit, verdict.stage], [limit, stage]);
  });
}

test("nothing streams, whatever the last answer was like", () => {
  for (const figures of [WELL, LATE, {}]) assert.equal(judged(figures, false).limit, "idle");
});

test("the words say which, and by what", () => {
  assert.match(judged(WELL).words, /^The model is the limit: .* Nothing to fix here\.$/);
  assert.match(judged({}).words, /^The model is the limit: no text comes/);
  assert.match(judged({ ...LATE, frameWorkP50Ms: 62, longestTaskIn: "chart.js draw" }).words, /^The page is the limit: .*chart\.js draw/);
  assert.match(judged({ ...LATE, frameWorkP50Ms: 62 }).words, /^The page is the limit: .*frames\.$/);
  assert.match(judged({ ...LATE, commitP95Ms: 35 }).words, /^The page is the limit: .*35 ms\.$/);
  assert.match(judged({ ...LATE, deliveryP50Ms: 80, deliveryP95Ms: 90 }).words, /^The transport is the limit: .*90 ms,/);
  assert.match(judged(LATE).words, /^The machine is the limit: /);
});

test("a single judgement does not change what is said", () => {
  const steady = new Steady();
  /** @type {Verdict[]} */
  const [idle, model, page] = [judged({}, false), judged(WELL), judged({ ...LATE, frameWorkP50Ms: 62 })];
  const said = [idle, model, page, model, model, page, model, page, page].map((verdict) => steady.hold(verdict).limit);
  assert.deepEqual(said, ["idle", "idle", "idle", "idle", "model", "model", "model", "model", "page"]);
});

test("the words of the same verdict are the newest", () => {
  const steady = new Steady();
  const slow = (/** @type {number} */ commitP95Ms) => judged({ ...LATE, commitP95Ms });
  assert.match(steady.hold(slow(35)).words, /35 ms/);
  assert.match(steady.hold(slow(70)).words, /70 ms/);
  steady.hold(judged(WELL));
  assert.match(steady.hold(slow(90)).words, /90 ms/);
});
