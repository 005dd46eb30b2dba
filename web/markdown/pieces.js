/** @file How long a text node may be. */

/**
 * A text node past this is closed at the next space, code units. An append repaints the lines of
 * its node: at 4,096 that cost 0.5 ms an update more than at 1,024; far smaller nodes cost more in
 * layout.
 */
export const PIECE_LENGTH = 1024;

/**
 * How much of `text` goes into a node with so much room: all of it, or up to a space, so that no
 * character, accent or joined emoji is cut between nodes. Without a space for two nodes' length it
 * is cut all the same.
 * @param {string} text
 * @param {number} room  may be negative
 * @returns {number}
 */
export function pieceLength(text, room) {
  if (text.length <= room) return text.length;
  const least = Math.max(room, 0);
  const most = Math.max(room + PIECE_LENGTH, 0);
  const space = text.slice(least, most).search(/\s/);
  if (space >= 0) return least + space;
  if (text.length <= most) return text.length;
  return isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
}

/** @param {number} unit */
const isHighSurrogate = (unit) => unit >= 0xd800 && unit <= 0xdbff;

/**
 * How much of `text` goes into a node that says `said`: all, or up to where a sentence ends once the
 * node is long enough; up to a space if none ends for half as long again; and no more than two nodes'
 * length. Where it is cut depends on the text alone, not on how it came: in whole characters.
 * @param {string} said
 * @param {string} text
 */
export function sentenceLength(said, text) {
  if (said.length + text.length <= PIECE_LENGTH) return text.length;
  // Not `said + text`: to look into a string that is a sum copies it, each time that it has grown.
  const before = said.slice(-2);
  const window = before + text.slice(0, 2 * PIECE_LENGTH + 1);
  const start = said.length - before.length;
  for (let at = Math.max(said.length, PIECE_LENGTH); at < start + window.length; at += 1) {
    if (!mayCut(window, at - start, at)) continue;
    const isHalf = isHighSurrogate(window.charCodeAt(at - start - 1));
    return Math.max(0, (isHalf ? at - 1 : at) - said.length);
  }
  return text.length;
}

/**
 * @param {string} text
 * @param {number} at
 * @param {number} length  of the node that would end there
 */
function mayCut(text, at, length) {
  if (length >= 2 * PIECE_LENGTH || /[。！？]/.test(text.charAt(at - 1))) return true;
  if (!/\s/.test(text.charAt(at))) return false;
  return length >= 1.5 * PIECE_LENGTH || /[.!?…]["'”’)]?$/.test(text.slice(Math.max(at - 2, 0), at));
}
