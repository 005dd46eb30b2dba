/**
 * @file The engine without a page, for pageside.browser: Python is told of
 * events by the binding `pagesideEvent` and drives `globalThis.pageside`.
 * Errors are results, so that code, message and hint arrive whole.
 */

import { Client } from "./client.js";
import { fetchSettings } from "./settings.js";

/** @import { Fallback } from "./backends.js" */
/** @import { Settings } from "./loader.js" */
/** @import { ChatMessage, Failure, Figures, Ready, Sampling } from "../worker/protocol.js" */

/**
 * @typedef {{ type: "loading", stage: string, doneBytes: number, totalBytes: number }
 *   | { type: "fallback" } & Fallback
 *   | { type: "prefill", done: number, total: number }
 *   | { type: "text", text: string, tokens: number }} HeadlessEvent
 */

/**
 * Resolves when Python has taken the event: the acknowledgement that paces the worker.
 * @param {HeadlessEvent} event
 */
const tell = (event) => {
  const { pagesideEvent } = /** @type {{ pagesideEvent(event: HeadlessEvent): Promise<void> }} */ (
    /** @type {unknown} */ (globalThis)
  );
  return pagesideEvent(event);
};

/** @type {Client<any> | null} */
let client = null;

/**
 * @param {Partial<Settings>} options
 * @returns {Promise<{ ok: true, ready: Omit<Ready, "type"> & { fallbacks: Fallback[] } } | { ok: false, error: Failure }>}
 */
async function load(options) {
  /** @type {Fallback[]} */
  const fallbacks = [];
  try {
    client = new Client(async (signal) => ({ ...(await fetchSettings(signal)), ...options }), {
      settings: () => undefined,
      loading: ({ stage, doneBytes, totalBytes }) => void tell({ type: "loading", stage, doneBytes, totalBytes }),
      fallback: (fallback) => {
        fallbacks.push(fallback);
        void tell({ type: "fallback", ...fallback });
      },
      ready: () => undefined,
      failed: () => undefined, // load() rejects with it, or the answer ends with it
    });
    const { type: _, ...ready } = await client.load();
    return { ok: true, ready: { ...ready, fallbacks } };
  } catch (error) {
    return { ok: false, error: /** @type {Failure} */ (error) };
  }
}

/**
 * @param {{ messages: ChatMessage[] } & Sampling} request  every setting, as worker/sampling.js lists them
 * @returns {Promise<{ ok: true, figures: Figures | null } | { ok: false, error: Failure }>}  null: stopped before it began
 */
function generate({ messages, ...sampling }) {
  return new Promise((resolve) => {
    /** @type {Promise<unknown>} */
    let told = Promise.resolve();
    client?.ask(() => messages, sampling, {
      queued: () => undefined,
      loading: () => undefined,
      prefill: (done, total) => void tell({ type: "prefill", done, total }),
      text: (text, tokens, painted) => {
        told = tell({ type: "text", text, tokens }).then(painted);
      },
      ended: async ({ text, tokens, figures, failure }) => {
        await told;
        if (text) await tell({ type: "text", text, tokens });
        resolve(failure ? { ok: false, error: failure } : { ok: true, figures });
      },
    });
  });
}

Object.assign(globalThis, { pageside: { load, generate, stop: () => client?.stop(), forget: () => client?.forget() } });
