/** @file The worker's entry: routes messages, owns no logic of its own. */

import { Answer } from "./answer.js";
import { toFailure } from "./errors.js";
import { unreachable, wallClock } from "./protocol.js";
import { guardScriptUrls } from "./trusted.js";

/** @import { Engine } from "./engines/engine.js" */
/** @import { Count, EngineName, FromWorker, Generate, Load, ToWorker } from "./protocol.js" */

/** @type {Record<EngineName, () => Promise<Engine>>} */
const ENGINES = {
  transformers: async () => new (await import("./engines/transformers.js")).TransformersEngine(),
  gguf: async () => new (await import("./engines/gguf/gguf.js")).GgufEngine(),
  scripted: async () => new (await import("./engines/scripted.js")).ScriptedEngine(),
};

/** @type {Engine | null} */
let engine = null;
/** @type {Answer | null} */
let answer = null;
/** Settles when the answer has ended. */
let answering = Promise.resolve();

/** @param {FromWorker} message */
const post = (message) => self.postMessage(message);

/** @param {unknown} error */
const failed = (error) => post({ type: "failed", id: null, text: "", tokens: 0, failure: toFailure(error) });

self.addEventListener("message", (/** @type {MessageEvent<ToWorker>} */ { data }) => {
  switch (data.type) {
    case "load":
      return void load(data).catch(failed);
    case "generate":
      return generate(data);
    case "stop":
      return answer?.request.id === data.id ? answer.stop() : undefined;
    case "painted":
      return answer?.request.id === data.id ? answer.batcher.painted(data.batch) : undefined;
    case "forget":
      // Not under a running answer, which still holds what would be dropped.
      return void answering.then(() => engine?.forget());
    case "count":
      return void count(data);
    default:
      return unreachable(data);
  }
});

/** @param {Load} request */
async function load(request) {
  const loading = await ENGINES[request.engine]();
  const loaded = await loading.load(request, {
    progress: (stage, doneBytes, totalBytes, note = "") =>
      post({ type: "loading", stage, doneBytes, totalBytes, note }),
    lost: failed,
  });
  engine = loading;
  post({ type: "ready", engine: request.engine, ...loaded });
}

/** @param {Generate} request  the page sends the next only when the last has ended */
function generate(request) {
  answer = new Answer(request, post);
  answering = answer.run(/** @type {Engine} */ (engine));
}

/** @param {Count} request */
async function count({ id, text }) {
  // What is wrong with the text or the tokenizer is told when the prompt is sent.
  const counted = await engine?.count(text).catch(() => null);
  post({ type: "counted", id, count: counted ?? null });
}

guardScriptUrls();

// A worker that dies (out of memory, close(), a crash) sends no event. Its lock
// is released all the same, and the page waits for that.
const lock = `pageside-worker-${wallClock()}-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
void navigator.locks.request(lock, () => {
  post({ type: "alive", lock });
  return new Promise(() => {});
});
