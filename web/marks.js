/** @file User Timing marks: the page's public moments, for the audit and for anyone's profiler. */

/**
 * @typedef {"load-start" | "load-end"
 *   | "send" | "prefill-start" | "first-token" | "first-paint" | "last-paint"
 *   | "stop" | "stopped"} Moment
 */

/** @param {Moment} moment */
export const mark = (moment) => void performance.mark(`pageside:${moment}`);
