/** @file Where the token path can be listened to. All null, and nothing is done for them, unless the gauges are open. */

/** @import { Text } from "../../worker/protocol.js" */

/**
 * @typedef {object} Taps
 * @property {((message: Text) => void) | null} text  as a text message is received
 * @property {((length: number, frameAt: number | null) => () => void) | null} commit
 *   as a commit of `length` code units begins; what it returns is called at its end.
 *   `frameAt`: when its frame began, as requestAnimationFrame says it; null outside of one
 * @property {((message: Text) => void) | null} painted  as a message is acknowledged
 */

/** @type {Taps} */
export const taps = { text: null, commit: null, painted: null };
