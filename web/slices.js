/** @file Work that may come later than its frame: done in slices, in turn. */

/** What it may take of a frame. A shorter time than this after a frame began, none has begun. */
const [SLICE_MS, FRAME_MS] = [4, 12];
const PAUSE_MS = 8;

/** Does some of its work, while there is time; whether all is done. @typedef {{ work(hasTime: () => boolean): boolean }} Worker */

/** @type {Set<Worker>} */
const waiting = new Set();
let isAwaited = false;
let [frameAt, spentMs, begunAt] = [-Infinity, 0, 0];

/**
 * Now, if there is time and none waits, else later.
 * @param {Worker} worker
 */
export function workSoon(worker) {
  if (waiting.size === 0 && isDone(worker)) return;
  waiting.add(worker);
  wait();
}

/** Once nothing waits. */
export async function pause() {
  do await new Promise((resolve) => setTimeout(resolve, 1));
  while (waiting.size > 0);
}

function wait() {
  if (!isAwaited) setTimeout(workSome, PAUSE_MS);
  isAwaited = true;
}

function workSome() {
  isAwaited = false;
  for (const worker of waiting) {
    if (!isDone(worker)) break;
    waiting.delete(worker);
  }
  if (waiting.size > 0) wait();
}

/** @param {Worker} worker */
function isDone(worker) {
  begunAt = performance.now();
  if (begunAt - frameAt > FRAME_MS) [frameAt, spentMs] = [begunAt, 0];
  const isAll = hasTime() && worker.work(hasTime);
  spentMs += performance.now() - begunAt;
  return isAll;
}

function hasTime() {
  return spentMs + performance.now() - begunAt < SLICE_MS;
}
