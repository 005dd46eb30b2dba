/** @file Giving the event loop a turn. */

const channel = new MessageChannel();
/** @type {(() => void)[]} */
const waiting = [];
channel.port1.onmessage = () => waiting.shift()?.();

/**
 * Resolves in a new macrotask. On Wasm a decode loop that only awaits promises
 * never serves the worker's message queue: a Stop posted after 200 ms was seen
 * after the last token in 150 runs of 150. `setTimeout(0)` would do, at 4 ms a
 * step.
 * @returns {Promise<void>}
 */
export function macrotask() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}

/**
 * Resolves after `ms`, or at once when `signal` is aborted.
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function sleep(ms, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener("abort", wake);
  });
}
