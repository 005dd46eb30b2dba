/**
 * @file Runs before web/headless.js: takes its events in the page, where pageside.browser
 * takes them in Python, and notes when each text came. Acknowledged at once.
 */

{
  /** @type {[number, number][]} */
  let arrivals = [];
  let text = "";

  globalThis.pagesideEvent = async (event) => {
    if (event.type !== "text") return;
    arrivals.push([performance.now(), event.tokens]);
    text += event.text;
  };

  const orThrow = (result) => {
    if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
    return result;
  };

  globalThis.bench = {
    async load(options) {
      return orThrow(await globalThis.pageside.load(options)).ready;
    },
    async answer({ messages, maxTokens }) {
      arrivals = [];
      text = "";
      globalThis.pageside.forget();
      const startedAt = performance.now();
      const off = { topK: 0, topP: 1, repetitionPenalty: 1, seed: null, stop: [] };
      const asked = { messages, maxTokens, temperature: 0, ...off };
      const { figures } = orThrow(await globalThis.pageside.generate(asked));
      if (figures.reusedTokens) throw new Error("the prompt was in the KV cache");
      return { startedAt, arrivals, text, figures };
    },
  };
}
