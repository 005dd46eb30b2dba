import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Flow } from "../../web/gauges/flow.js";
import { figuresOf } from "../../web/gauges/meter.js";
import { Commits } from "../../web/gauges/meters/commits.js";
import { Cost } from "../../web/gauges/meters/cost.js";
import { Delivery } from "../../web/gauges/meters/delivery.js";
import { Frames, slotsMissed } from "../../web/gauges/meters/frames.js";
import { Lag } from "../../web/gauges/meters/lag.js";
import { Rate } from "../../web/gauges/meters/rate.js";
import { Waiting } from "../../web/gauges/meters/waiting.js";
import { median, quantiles, Recent } from "../../web/gauges/recent.js";
import { taps } from "../../web/gauges/taps.js";
import { wallClock } from "../../worker/protocol.js";

/** @import { Batch, Meter, Painting } from "../../web/gauges/meter.js" */

test("a ring keeps the newest, in their order, and never grows", () => {
  const ring = new Recent();
  for (let i = 0; i < 2000; i++) ring.add(i, i * 10);
  assert.deepEqual([...ring.values(1997)], [19970, 19980, 19990]);
  assert.deepEqual([...ring.values(2000)], []);
  assert.equal(ring.values().length, 512);
  assert.equal(ring.values()[0], 14880);
});

test("a quantile is one of the values", () => {
  const twenty = Float64Array.from({ length: 20 }, (_, i) => 20 - i);
  assert.deepEqual(quantiles(twenty, 0.5, 0.95, 1), [10, 19, 20]);
  assert.deepEqual(quantiles(Float64Array.of(7), 0, 0.95), [7, 7]);
  assert.equal(median(Float64Array.of(11, 3, 20)), 11);
  assert.equal(median(new Float64Array()), null);
});

test("slots are missed from one and a half on, and a little more or less is no other verdict", () => {
  const slot = 1000 / 60;
  assert.equal(slotsMissed(0, slot), 0);
  assert.equal(slotsMissed(slot, slot), 0);
  assert.equal(slotsMissed(1.4 * slot, slot), 0);
  assert.equal(slotsMissed(33.3, slot), 1);
  assert.equal(slotsMissed(33.4, slot), 1);
  assert.equal(slotsMissed(4 * slot, slot), 3);
  assert.equal(slotsMissed(33.3, 1000 / 120), 3);
});

/**
 * @param {Partial<Batch>} [given]
 * @returns {Batch}
 */
const batch = (given = {}) => ({ id: 1, batch: 1, tokens: 1, length: 4, sentAt: 0, receivedAt: 0, ...given });

test("the rate is of the tokens between two batches of one answer", () => {
  const rate = new Rate();
  const sent = [
    { id: 1, tokens: 9, sentAt: 1000 }, // its beginning is not known
    { id: 1, tokens: 10, sentAt: 1100 },
    { id: 1, tokens: 30, sentAt: 1400 },
    { id: 2, tokens: 1, sentAt: 9000 }, // the pause between two answers is no step
    { id: 2, tokens: 10, sentAt: 9100 },
  ];
  for (const given of sent) rate.received(batch(given));
  assert.deepEqual(rate.figures(0), { tokensPerS: 100, stepMs: 10 });
  assert.deepEqual(rate.figures(9101), { tokensPerS: null, stepMs: null });
});

test("what waits: received, less what is committed and painted", () => {
  const waiting = new Waiting();
  const figures = () => {
    const { waitingLength, mostWaitingLength, unpaintedBatches, mostUnpaintedBatches } = waiting.figures(0);
    return [waitingLength, mostWaitingLength, unpaintedBatches, mostUnpaintedBatches];
  };
  waiting.received(batch({ batch: 1, length: 5 }));
  waiting.received(batch({ batch: 2, length: 7 }));
  assert.deepEqual(figures(), [12, 12, 2, 2]);
  waiting.committed({ length: 12, ms: 1, endedAt: 0 });
  assert.deepEqual(figures(), [0, 12, 2, 2]);
  waiting.painted(batch({ batch: 1 }));
  assert.deepEqual(figures(), [0, 12, 1, 2]);
  assert.ok(waiting.figures(0).oldestUnpaintedMs > 0);
  waiting.painted(batch({ batch: 2 }));
  assert.deepEqual(figures(), [0, 12, 0, 2]);
  assert.equal(waiting.figures(0).oldestUnpaintedMs, 0);
});

test("the newest batch that is painted stands for those before it", () => {
  const waiting = new Waiting();
  waiting.received(batch({ batch: 1 }));
  waiting.received(batch({ batch: 2 }));
  waiting.painted(batch({ batch: 2 }));
  assert.equal(waiting.figures(0).unpaintedBatches, 0);
});

test("text that came with no batch leaves nothing negative behind", () => {
  const waiting = new Waiting();
  waiting.received(batch({ length: 5 }));
  waiting.committed({ length: 50, ms: 1, endedAt: 0 });
  waiting.received(batch({ batch: 2, length: 3 }));
  assert.equal(waiting.figures(0).waitingLength, 3);
});

test("an answer that is lost leaves nothing waiting, nor is the next one's taken for painted", () => {
  const waiting = new Waiting();
  waiting.received(batch({ id: 1, batch: 1 }));
  waiting.received(batch({ id: 1, batch: 2 }));
  waiting.received(batch({ id: 2, batch: 1 }));
  assert.equal(waiting.figures(0).unpaintedBatches, 1);
  waiting.painted(batch({ id: 1, batch: 2 })); // late
  assert.equal(waiting.figures(0).unpaintedBatches, 1);
  waiting.rest();
  assert.equal(waiting.figures(0).unpaintedBatches, 0);
  assert.equal(waiting.figures(0).waitingLength, 0);
});

/** @type {Flow | null} */
let flow = null;

afterEach(() => {
  flow?.stop();
  flow = null;
});

/** @param {Meter[]} meters  started, as in the panel, but for those that need one */
function listening(...meters) {
  flow = new Flow(meters, new Cost());
  flow.start();
  return flow;
}

/**
 * @param {number} number
 * @returns {import("../../worker/protocol.js").Text}
 */
const message = (number) => ({ type: "text", id: 1, batch: number, text: "word ", tokens: 2, sentAt: wallClock() - 10 });

test("nothing listens before it is started and after it is stopped", () => {
  assert.deepEqual(taps, { text: null, commit: null, painted: null });
  const { counts } = listening(new Rate());
  assert.deepEqual(Object.values(taps).map((tap) => typeof tap), ["function", "function", "function"]);
  flow?.stop();
  assert.deepEqual(taps, { text: null, commit: null, painted: null });
  assert.deepEqual(counts, { batches: 0, tokens: 0, characters: 0, commits: 0, painted: 0 });
});

test("what goes through the taps is counted, once", () => {
  const meters = [new Delivery(), new Waiting(), new Commits(), new Lag()];
  const { counts } = listening(...meters);
  for (const number of [1, 2]) taps.text?.(message(number));
  taps.commit?.(10, performance.now())();
  for (const number of [1, 2]) taps.painted?.(message(number));
  assert.deepEqual(counts, { batches: 2, tokens: 4, characters: 10, commits: 1, painted: 2 });
  const figures = figuresOf(meters, 0);
  assert.equal(figures.batches, 2);
  assert.equal(figures.lengthPerCommit, 10);
  assert.equal(figures.waitingLength, 0);
  assert.equal(figures.unpaintedBatches, 0);
  assert.ok((figures.lagP50Ms ?? 0) >= 10);
  assert.ok((figures.deliveryP50Ms ?? 0) >= 10);
});

test("a frame is told once, with its oldest batch; text shown without a frame is of none", () => {
  /** @type {Painting[]} */
  const paintings = [];
  listening({
    cells: [],
    painted: (_, painting) => void paintings.push(painting),
    figures: () => ({}),
  });
  for (const number of [1, 2]) taps.text?.(message(number));
  taps.commit?.(10, 5)();
  for (const number of [1, 2]) taps.painted?.(message(number));
  taps.text?.(message(3));
  taps.commit?.(5, null)();
  taps.painted?.(message(3));
  assert.deepEqual(
    paintings.map(({ frame }) => frame && frame.beganAt - performance.timeOrigin),
    [5, null, null],
  );
});

test("a slow frame is a missed one, and its work is known", () => {
  const frames = new Frames();
  const paintedAt = 1_000_000;
  const slot = 1000 / 60;
  for (let i = 0; i < 3; i++) {
    const frame = { beganAt: paintedAt - 60, committedAt: paintedAt - 5 };
    frames.painted(batch({ sentAt: paintedAt - 5 - 4 * slot }), { paintedAt, frame });
    frames.painted(batch({ sentAt: paintedAt - 500 }), { paintedAt, frame: null });
  }
  const figures = frames.figures(0);
  assert.equal(figures.framesShown, 3);
  assert.equal(figures.framesMissed, 9);
  assert.equal(figures.frameWorkP50Ms, 60);
});
