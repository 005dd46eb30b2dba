/** @file Calling functions of a worker: `{id, name, argument}` there, `{id, result | error}` back. */

/**
 * @param {Worker} worker
 * @param {(message: any) => void} onOther  whatever else the worker posts
 * @returns {(name: string, argument?: unknown) => Promise<any>}
 */
export function caller(worker, onOther) {
  const waiting = new Map();
  worker.addEventListener("error", (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message));
  });
  worker.addEventListener("message", ({ data }) => {
    if (data.id === undefined) return onOther(data);
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) reject(new Error(data.error));
    else resolve(data.result);
  });
  return (name, argument) =>
    new Promise((resolve, reject) => {
      const id = crypto.randomUUID();
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, name, argument });
    });
}

/**
 * The worker's side.
 * @param {Record<string, (argument: any) => any>} functions
 */
export function serve(functions) {
  addEventListener("message", async ({ data: { id, name, argument } }) => {
    try {
      postMessage({ id, result: await functions[name](argument) });
    } catch (error) {
      postMessage({ id, error: String(error?.stack ?? error) });
    }
  });
}
