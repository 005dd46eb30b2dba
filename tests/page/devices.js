/**
 * @file A worker of the tests: loads the real engine on one device and tells
 * the logits of prompts and the greedy tokens after them, decoded as an answer is.
 */

import { Answer } from "/worker/answer.js";
import { TransformersEngine } from "/worker/engines/transformers.js";
import { guardScriptUrls } from "/worker/trusted.js";

guardScriptUrls();

self.onmessage = async ({ data: { device, model, prompts, tokens } }) => {
  try {
    const engine = new TransformersEngine();
    const report = { progress: () => {}, lost: (error) => postMessage({ error: String(error) }) };
    const { adapter } = await engine.load({ device, threads: 1, model }, report);
    const answers = [];
    for (const prompt of prompts) {
      const logits = await engine.chat.logits(engine.chat.encode(prompt));
      answers.push({ logits: [...logits], greedy: await greedyTokens(engine, prompt, tokens) });
    }
    postMessage({ adapter, answers });
  } catch (error) {
    postMessage({ error: `${error?.message} ${error?.stack}` });
  }
};

/** Each token's text, as the engine gives it to an answer. */
async function greedyTokens(engine, messages, maxTokens) {
  const greedy = [];
  const off = { topK: 0, topP: 1, repetitionPenalty: 1, seed: null, stop: [] };
  const request = { type: "generate", id: 1, messages, sampling: { maxTokens, temperature: 0, ...off }, continues: false };
  const answer = new Answer(request, () => {});
  const token = answer.token.bind(answer);
  answer.token = (text) => (greedy.push(text), token(text));
  await engine.generate(request, answer);
  return greedy;
}
