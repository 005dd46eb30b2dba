/** @file Rows as they are kept, and how what two tabs write comes together. */

/** @import { StoredConversation, StoredMessage } from "./types.js" */

/**
 * @typedef {StoredConversation & { titleAt: number, leafAt: number }} ConversationRow  when each was last changed
 * @typedef {{ start: number, text: string }} Piece  of a message's text, and where it stands there
 */

/**
 * A tab writes whole conversations, and may know an old title, or an old leaf. So of these two it
 * changes only what differs from the conversation as the tab last wrote or first read it; and where
 * two tabs change the same one, the later change stays.
 * @param {ConversationRow | undefined} row          as it is kept
 * @param {StoredConversation | undefined} base      as the writing tab knew it
 * @param {StoredConversation} written
 * @returns {ConversationRow}
 */
export function merged(row, base, { id, title, createdAt, changedAt, leaf }) {
  if (!row) return { id, title, createdAt, changedAt, leaf, titleAt: changedAt, leafAt: changedAt };
  const isNewTitle = base?.title !== title && changedAt >= row.titleAt;
  const isNewLeaf = base?.leaf !== leaf && changedAt >= row.leafAt;
  return {
    id,
    title: isNewTitle ? title : row.title,
    titleAt: isNewTitle ? changedAt : row.titleAt,
    leaf: isNewLeaf ? leaf : row.leaf,
    leafAt: isNewLeaf ? changedAt : row.leafAt,
    createdAt: Math.min(row.createdAt, createdAt),
    changedAt: Math.max(row.changedAt, changedAt),
  };
}

/** @param {ConversationRow} row @returns {StoredConversation} */
export const conversationOf = ({ id, title, createdAt, changedAt, leaf }) => ({ id, title, createdAt, changedAt, leaf });

/**
 * A message's text and what came after it. Pieces that were written twice, by a worker and by the one
 * after it, may be cut elsewhere the second time; where one is missing, what follows it has no place.
 * @param {string} text
 * @param {Piece[]} pieces  in their order
 */
export function joined(text, pieces) {
  let whole = text;
  for (const piece of pieces) {
    if (piece.start > whole.length) break;
    whole += piece.text.slice(whole.length - piece.start);
  }
  return whole;
}

/** @param {StoredConversation} a @param {StoredConversation} b */
export const newestFirst = (a, b) => b.changedAt - a.changedAt;

/** @param {StoredMessage} a @param {StoredMessage} b */
export const oldestFirst = (a, b) => a.at - b.at;
