/** @file How often text is looked at that waits to be decided. */

/** Up to here with every piece that comes. */
const SHORT = 256;

/**
 * How long such a text is at the next look. A long one has to grow by an eighth: rules, spaces and addresses
 * without an end would be read from their begin with every piece.
 * @param {number} length  at this look
 */
export const nextLook = (length) => (length < SHORT ? 0 : length + (length >> 3));
