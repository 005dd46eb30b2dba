/** @file The peer wllama, which brings its own worker, on the same GGUF. */

import { LoggerWithoutDebug, Wllama } from "/peer/index.js";

const wllama = new Wllama({ default: "/peer/wllama.wasm" }, { suppressNativeLog: true, logger: LoggerWithoutDebug });

globalThis.bench = {
  async load({ base, threads }) {
    const gguf = await (await fetch(`${base}model.gguf`)).blob();
    await wllama.loadModel([gguf], { n_threads: threads, n_gpu_layers: 0, n_ctx: 1024, n_parallel: 1 });
    if (wllama.getNumThreads() !== threads) throw new Error(`wllama runs on ${wllama.getNumThreads()} threads`);
  },
  async answer({ messages, maxTokens }) {
    /** @type {[number, number][]} */
    const arrivals = [];
    let text = "";
    const startedAt = performance.now();
    const chunks = await wllama.createChatCompletion({
      messages,
      max_tokens: maxTokens,
      temperature: 0,
      ignore_eos: true,
      cache_prompt: false,
      timings_per_token: true,
      stream: true,
    });
    let tokens = 0;
    for await (const { choices, timings } of chunks) {
      const content = choices[0]?.delta?.content;
      if (!content) continue;
      arrivals.push([performance.now(), timings.predicted_n - tokens]);
      tokens = timings.predicted_n;
      text += content;
    }
    return { startedAt, arrivals, text };
  },
};
