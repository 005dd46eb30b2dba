/** @file Figures as they are written in a cell. What is not known is a dash. */

const UNKNOWN = "–";

/** Three digits at most, so that a cell does not dance. @param {number} value */
const short = (value) => (value < 9.95 ? value.toFixed(1) : value.toFixed(0));

/** @param {number | null} value */
export const ms = (value) => (value === null ? UNKNOWN : `${short(value)} ms`);

/**
 * The median and the 95th percentile.
 * @param {number | null} p50
 * @param {number | null} p95
 */
export const spread = (p50, p95) => (p50 === null || p95 === null ? UNKNOWN : `${short(p50)} / ${short(p95)} ms`);

/** @param {number | null} value */
export const number = (value) => (value === null ? UNKNOWN : short(value));

/** @param {number | null} value */
export const count = (value) => (value === null ? UNKNOWN : value.toFixed(0));

/** @param {number} share  0 to 1 */
export const percent = (share) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** @param {number | null} bytes */
export const megabytes = (bytes) => (bytes === null ? UNKNOWN : `${(bytes / 1e6).toFixed(0)} MB`);
