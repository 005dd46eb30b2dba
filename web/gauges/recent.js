/** @file The last values of something, in a ring that never grows. */

/** More than the batches of WINDOW_MS: the worker posts at most one in 16 ms. */
const CAPACITY = 512;

export class Recent {
  #at = new Float64Array(CAPACITY);
  #values = new Float64Array(CAPACITY);
  #count = 0;

  /**
   * @param {number} at     not before the one added last
   * @param {number} value
   */
  add(at, value) {
    const place = this.#count++ % CAPACITY;
    this.#at[place] = at;
    this.#values[place] = value;
  }

  /**
   * The values that came at `since` or later, oldest first.
   * @param {number} [since]
   */
  values(since = -Infinity) {
    let first = this.#count;
    const oldest = Math.max(0, this.#count - CAPACITY);
    while (first > oldest && /** @type {number} */ (this.#at[(first - 1) % CAPACITY]) >= since) first -= 1;
    const found = new Float64Array(this.#count - first);
    for (let i = first; i < this.#count; i++) found[i - first] = /** @type {number} */ (this.#values[i % CAPACITY]);
    return found;
  }
}

/** @param {Float64Array} values */
export const sum = (values) => values.reduce((total, value) => total + value, 0);

/**
 * Each the smallest value that at least a share of the values do not exceed.
 * @param {Float64Array} values
 * @param {...number} shares  0 to 1
 * @returns {(number | null)[]}  null: there are no values
 */
export function quantiles(values, ...shares) {
  const sorted = values.toSorted();
  return shares.map((share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null);
}

/** The median. @param {Float64Array} values */
export const median = (values) => quantiles(values, 0.5)[0] ?? null;
