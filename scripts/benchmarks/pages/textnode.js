/**
 * @file The simplest renderer that is cheap, on Pageside's own worker: once a frame what came
 * since the last is appended as a new text node, and the view kept at its end. (One node for
 * all, grown with appendData, costs three times as much an update at 10,000 tokens.)
 */

const worker = new Worker("/worker/worker.js", { type: "module" });
const log = document.getElementById("log");
const body = document.querySelector("[data-testid=message-body]");
const status = document.querySelector("[data-testid=status]");

let pending = "";
let batch = 0;
let frame = 0;

/** Acknowledged after the frame's rendering, as web/painter.js does it. */
const afterFrame = new MessageChannel();
afterFrame.port1.onmessage = () => worker.postMessage({ type: "painted", id: 1, batch });

function paint() {
  frame = 0;
  body.append(document.createTextNode(pending));
  pending = "";
  log.scrollTop = log.scrollHeight;
  afterFrame.port2.postMessage(null);
}

worker.addEventListener("message", ({ data }) => {
  switch (data.type) {
    case "ready":
      status.textContent = "Ready";
      break;
    case "text":
      pending += data.text;
      batch = data.batch;
      frame ||= requestAnimationFrame(paint);
      break;
    case "failed":
      throw new Error(data.failure.message);
  }
});
worker.postMessage({ type: "load", engine: "scripted", device: "script", threads: 1, model: null, script: "/api/script" });

globalThis.bench = {
  start() {
    const off = { topK: 0, topP: 1, repetitionPenalty: 1, seed: null, stop: [] };
    const sampling = { maxTokens: null, temperature: 0, ...off };
    const messages = [{ role: "user", content: "Go on." }];
    worker.postMessage({ type: "generate", id: 1, messages, sampling, continues: false });
  },
};
