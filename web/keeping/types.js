/** @file What is kept: conversations, each a tree of messages. */

/** @import { Figures } from "../../worker/protocol.js" */

/**
 * @typedef {object} StoredConversation
 * @property {string} id
 * @property {string} title
 * @property {number} createdAt   ms since the epoch
 * @property {number} changedAt
 * @property {string | null} leaf  the message whose path from the root is shown
 *
 * @typedef {object} StoredMessage
 * @property {string} id
 * @property {string} conversation
 * @property {string | null} parent
 * @property {"user" | "assistant"} role
 * @property {string} text
 * @property {"done" | "stopped" | "failed" | "streaming"} state
 * @property {number} at
 * @property {Figures | null} figures
 * @property {boolean} [isInterrupted]  as read: the tab that streamed it is gone, and this is what it had
 *
 * @typedef {object} Change  by another tab
 * @property {"message" | "conversation" | "deleted" | "all"} kind
 * @property {string} conversation  empty for "all"
 *
 * @typedef {object} Found
 * @property {StoredConversation} conversation
 * @property {string} excerpt  around the match in the newest message that has it; empty where the title has it
 * @property {number} at       of that message; `changedAt` where the title has it
 *
 * @typedef {{ conversations: number, messages: number }} Imported
 */

/** Of the conversations, newest first, that a list is given. */
export const MOST_LISTED = 500;

/**
 * Held by the tab that streams the answer, for as long as it does.
 * @param {string} message
 */
export const answerLock = (message) => `pageside-answer-${message}`;
