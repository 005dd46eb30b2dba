/** @file The k most likely tokens, without sorting the vocabulary. */

/**
 * One pass with a heap of k, its least likely on top: nearly every token is
 * ruled out by one comparison. Of equals the first counts as likelier.
 * @param {Float32Array} logits
 * @param {number} k  1 to the vocabulary's size
 * @returns {Uint32Array}  k ids, in ascending order
 */
export function mostLikely(logits, k) {
  const heap = Uint32Array.from({ length: k }, (_, id) => id);
  for (let at = (k >> 1) - 1; at >= 0; at--) sink(heap, at, logits);
  for (let id = k; id < logits.length; id++) {
    if (!isLess(logits, /** @type {number} */ (heap[0]), id)) continue;
    heap[0] = id;
    sink(heap, 0, logits);
  }
  return heap.sort(); // so that a seed draws the same whatever the heap's order
}

/**
 * @param {Float32Array} logits
 * @param {number} a  id
 * @param {number} b  id
 * @returns {boolean}  a is less likely than b
 */
function isLess(logits, a, b) {
  const ofA = /** @type {number} */ (logits[a]);
  const ofB = /** @type {number} */ (logits[b]);
  return ofA < ofB || (ofA === ofB && a > b);
}

/**
 * @param {Uint32Array} heap
 * @param {number} at  whose subtrees are in order
 * @param {Float32Array} logits
 */
function sink(heap, at, logits) {
  const id = /** @type {number} */ (heap[at]);
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    const left = /** @type {number} */ (heap[child]);
    const right = heap[child + 1];
    if (right !== undefined && isLess(logits, right, left)) child += 1;
    const least = /** @type {number} */ (heap[child]);
    if (!isLess(logits, least, id)) break;
    heap[at] = least;
    at = child;
  }
  heap[at] = id;
}
