/**
 * @file For page.evaluate on headless.html: the page's own Client without the page around it.
 * `asking.ask` takes a request and resolves to what its listener was told.
 */

async () => {
  const { Client } = await import("/web/client.js");
  const { fetchSettings } = await import("/web/settings.js");
  const nothing = () => undefined;
  const client = new Client(fetchSettings, {
    settings: nothing,
    loading: nothing,
    fallback: nothing,
    ready: nothing,
    failed: nothing,
  });
  const off = { maxTokens: null, repetitionPenalty: 1, temperature: 0, topK: 0, topP: 1, seed: null, stop: [] };
  const listeners = {};

  /** `name` is for cancel; `stopAt` presses Stop once so many tokens came; `onText` is called with each text. */
  function ask({ name = "", messages, sampling = {}, continues = false, stopAt = Infinity }, onText = nothing) {
    return new Promise((resolve) => {
      const told = { text: "", tokens: 0, positions: [] };
      const take = (text, tokens) => {
        told.text += text;
        told.tokens += tokens;
      };
      listeners[name] = {
        queued: (position) => void told.positions.push(position),
        loading: nothing,
        prefill: nothing,
        text(text, tokens, painted) {
          take(text, tokens);
          painted();
          onText(told);
          if (told.tokens >= stopAt) client.stop();
        },
        ended({ state, text, tokens, figures, failure }) {
          take(text, tokens);
          resolve({ ...told, state, figures, failure });
        },
      };
      client.ask(() => messages, { ...off, ...sampling }, listeners[name], { continues });
    });
  }

  globalThis.asking = { client, ask, cancel: (name) => client.cancel(listeners[name]) };
};
