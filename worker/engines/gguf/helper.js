/** @file One of the kernels' other threads. It ends with the worker that made it. */

/** @import { Kernels } from "./machine.js" */
/** @import { Start } from "./threads.js" */

self.addEventListener(
  "message",
  async (/** @type {MessageEvent<Start>} */ { data: { module, memory, stack, index, lastCall } }) => {
    const instance = await WebAssembly.instantiate(module, { env: { memory } });
    const kernels = /** @type {Kernels} */ (/** @type {unknown} */ (instance.exports));
    kernels.__stack_pointer.value = stack;
    self.postMessage("waiting");
    kernels.serve(index, lastCall);
  },
  { once: true },
);
