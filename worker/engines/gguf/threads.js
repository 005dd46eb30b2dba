/** @file The other threads of the kernels: workers that only wait for a call and take their part in it. */

/** @import { Machine } from "./machine.js" */

const STACK_BYTES = 2 ** 18;

/**
 * @typedef {object} Start  what a helper is told
 * @property {WebAssembly.Module} module
 * @property {WebAssembly.Memory} memory
 * @property {number} stack   where it ends; it grows downwards
 * @property {number} index   of the thread, from 1
 * @property {number} lastCall
 */

/**
 * @param {Machine} machine
 * @param {number} count  of all threads, this one among them
 * @returns {Promise<void>}  once all wait
 */
export async function startThreads(machine, count) {
  const others = Array.from({ length: count - 1 }, (_, i) => startThread(machine, i + 1));
  await Promise.all(others);
}

/**
 * @param {Machine} machine
 * @param {number} index
 * @returns {Promise<void>}
 */
function startThread(machine, index) {
  const worker = new Worker(new URL("./helper.js", import.meta.url), { type: "module" });
  const { module, memory, kernels } = machine;
  const stack = machine.take(STACK_BYTES) + STACK_BYTES;
  return new Promise((resolve, reject) => {
    worker.addEventListener("message", () => resolve(), { once: true });
    worker.addEventListener("error", () => reject(new Error("a thread could not be started")), { once: true });
    /** @type {Start} */
    const start = { module, memory, stack, index, lastCall: kernels.last_call() };
    worker.postMessage(start);
  });
}
