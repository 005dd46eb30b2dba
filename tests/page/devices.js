/**
 * @file A worker of the tests: loads the real engine on one device and tells
 * the logits of prompts and the greedy tokens after them.
 */

import { TransformersEngine } from "/worker/engines/transformers.js";
import { argmax } from "/worker/sampler.js";
import { guardScriptUrls } from "/worker/trusted.js";

guardScriptUrls();

self.onmessage = async ({ data: { device, model, prompts, tokens } }) => {
  try {
    const engine = new TransformersEngine();
    const report = { progress: () => {}, lost: (error) => postMessage({ error: String(error) }) };
    const { adapter } = await engine.load({ device, threads: 1, model }, report);
    const answers = [];
    for (const prompt of prompts) {
      const ids = engine.encode(prompt);
      const logits = await engine.logits(ids);
      const greedy = [argmax(logits)];
      while (greedy.length < tokens) greedy.push(argmax(await engine.logits([...ids, ...greedy])));
      answers.push({ logits: [...logits], greedy });
    }
    postMessage({ adapter, answers });
  } catch (error) {
    postMessage({ error: `${error?.message} ${error?.stack}` });
  }
};
