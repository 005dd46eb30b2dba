/** @file The page of bare-worker.js: notes when each token's id came. */

import { caller } from "./calls.js";

/** @type {[number, number][]} */
let arrivals = [];
const call = caller(new Worker("bare-worker.js", { type: "module" }), ({ count }) => {
  arrivals.push([performance.now(), count]);
});

globalThis.bench = {
  load: (options) => call("load", options),
  async answer(question) {
    arrivals = [];
    const startedAt = performance.now();
    const ids = await call("answer", question);
    return { startedAt, arrivals, ids };
  },
};
