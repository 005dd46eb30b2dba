/** @file Long work in slices, so that keys, clicks and frames come between. */

/** A slice's length: half a frame at 60 Hz, ms. */
const SLICE_MS = 8;

const channel = new MessageChannel();
/** @type {(() => void)[]} */
const waiting = [];
channel.port1.onmessage = () => waiting.shift()?.();

/** A turn of the event loop: what has come in meanwhile is served first. @returns {Promise<void>} */
function turn() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}

/**
 * Runs `work` to its end, some steps at a time.
 * @param {Iterator<unknown>} work
 * @param {AbortSignal} signal  leaves the rest undone
 * @returns {Promise<boolean>}  whether it is done
 */
export async function inSlices(work, signal) {
  while (!signal.aborted) {
    const ends = performance.now() + SLICE_MS;
    do if (work.next().done) return true;
    while (performance.now() < ends);
    await turn();
  }
  return false;
}
