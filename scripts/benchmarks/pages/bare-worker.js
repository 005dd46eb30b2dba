/** @file transformers.js and nothing around it: `model.generate`, each token's id posted as it comes. */

import { DequantisedWeights } from "/worker/dequantise.js";

import { serve } from "./calls.js";
import { fetchFiles, openModel, weightsIndex } from "./model.js";

let loaded;

/** What `generate` calls: first with the prompt's ids, then with each token's. */
class Reporter {
  #isPrompt = true;
  /** @type {number[]} */
  ids = [];

  put(value) {
    if (this.#isPrompt) return void (this.#isPrompt = false);
    this.ids.push(...value[0].map(Number));
    postMessage({ count: value[0].length });
  }

  end() {}
}

serve({
  async load({ base, threads }) {
    const files = await fetchFiles(base);
    loaded = await openModel(files, threads, new DequantisedWeights(files.get("model.gguf"), weightsIndex(files)));
  },
  async answer({ messages, maxTokens }) {
    const inputs = loaded.tokenizer.apply_chat_template(messages, { add_generation_prompt: true, return_dict: true });
    const streamer = new Reporter();
    await loaded.model.generate({ ...inputs, max_new_tokens: maxTokens, do_sample: false, streamer });
    return streamer.ids;
  },
});
