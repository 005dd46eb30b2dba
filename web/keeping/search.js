/** @file Finding text in titles and messages. */

/** @import { Found, StoredConversation, StoredMessage } from "./types.js" */

/** Characters shown before and after a match: of one line in the list the begin is seen. */
const [BEFORE, AFTER] = [16, 60];

/**
 * Whether and where a text has the query: letters in either case, and between its words any white space.
 * An expression rather than lower-cased texts, whose characters may stand elsewhere than the original's.
 * @param {string} query
 * @returns {((text: string) => { start: number, end: number } | null) | null}  null: nothing is sought
 */
export function finder(query) {
  const words = query.trim().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return null;
  const sought = new RegExp(words.map(escaped).join("\\s+"), "iu");
  return (text) => {
    const match = sought.exec(text);
    return match && { start: match.index, end: match.index + match[0].length };
  };
}

/**
 * @param {StoredConversation} conversation
 * @param {StoredMessage[]} messages  oldest first
 * @param {NonNullable<ReturnType<typeof finder>>} find
 * @returns {Found | null}
 */
export function foundIn(conversation, messages, find) {
  if (find(conversation.title)) return { conversation, excerpt: "", at: conversation.changedAt };
  for (const { text, at } of messages.toReversed()) {
    const match = find(text);
    if (match) return { conversation, excerpt: excerptOf(text, match), at };
  }
  return null;
}

/** @param {string} word */
const escaped = (word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/**
 * The match and what stands around it, in one line.
 * @param {string} text
 * @param {{ start: number, end: number }} match
 */
export function excerptOf(text, { start, end }) {
  const from = betweenCharacters(text, Math.max(0, start - BEFORE));
  const to = betweenCharacters(text, Math.min(text.length, Math.min(end, start + AFTER) + AFTER));
  const shown = text.slice(from, to).replace(/\s+/gu, " ").trim();
  return `${from > 0 ? "…" : ""}${shown}${to < text.length ? "…" : ""}`;
}

/**
 * @param {string} text
 * @param {number} at
 */
const betweenCharacters = (text, at) => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at);
