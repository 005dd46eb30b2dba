// The engine's threads, as Node has them.

import { Worker } from "node:worker_threads";

const HELPER = `
const { parentPort, workerData } = require("node:worker_threads");
const { module, memory, stack, index, lastCall } = workerData;
WebAssembly.instantiate(module, { env: { memory } }).then(({ exports }) => {
  exports.__stack_pointer.value = stack;
  parentPort.postMessage("waiting");
  exports.serve(index, lastCall);
});
`;
const STACK_BYTES = 2 ** 18;

/**
 * @param {any} machine
 * @param {number} count
 * @returns {Promise<() => void>}  ends them
 */
export async function startThreads(machine, count) {
  const workers = Array.from({ length: count - 1 }, (_, i) => {
    const stack = machine.take(STACK_BYTES) + STACK_BYTES;
    const { module, memory, kernels } = machine;
    const workerData = { module, memory, stack, index: i + 1, lastCall: kernels.last_call() };
    return new Worker(HELPER, { eval: true, workerData });
  });
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("message", resolve))));
  return () => workers.forEach((worker) => void worker.terminate());
}
