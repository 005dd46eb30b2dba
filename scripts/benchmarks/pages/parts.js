/** @file The page of parts-worker.js. */

import { caller } from "./calls.js";

const call = caller(new Worker("parts-worker.js", { type: "module" }), () => undefined);

globalThis.bench = { load: (options) => call("load", options) };
