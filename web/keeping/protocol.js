/**
 * @file The messages between the page and the storage worker.
 *
 * ```
 *   page                                worker
 *   │ ◀──────────────── alive             │  holds the lock that says so
 *   │ put, append, remove … * ──────────▶ │  numbered; stored in their order
 *   │ ◀──────────────── stored … *        │  all writes through this number, now and then
 *   │ ask ──────────────────────────────▶ │  answered when the writes before it are stored
 *   │ ◀──────────────── answer            │  or refused
 *   │ ◀──────────────── trouble?          │  from now on in memory only; at most once
 *   │ ◀──────────────── other … *         │  what another tab has changed
 * ```
 */

/** @import { Failure } from "../../worker/protocol.js" */
/** @import { Change, StoredConversation, StoredMessage } from "./types.js" */

/**
 * Each may be stored twice without harm: a new worker is told again what the last one may not have stored.
 *
 * @typedef {object} PutConversation
 * @property {"put-conversation"} type
 * @property {number} n
 * @property {StoredConversation} conversation
 *
 * @typedef {object} PutMessages   whole: their texts take the place of their pieces
 * @property {"put-messages"} type
 * @property {number} n
 * @property {StoredMessage[]} messages
 *
 * @typedef {object} Append        one piece of an answer
 * @property {"append"} type
 * @property {number} n
 * @property {string} conversation
 * @property {string} message
 * @property {number} start        where in the message's text it stands
 * @property {string} text
 *
 * @typedef {object} RemoveMessages
 * @property {"remove-messages"} type
 * @property {number} n
 * @property {string} conversation
 * @property {string[]} ids
 *
 * @typedef {object} RemoveConversation
 * @property {"remove-conversation"} type
 * @property {number} n
 * @property {string} conversation
 * @property {boolean} [isEcho]     of another tab's removal, for what was on its way meanwhile
 *
 * @typedef {PutConversation | PutMessages | Append | RemoveMessages | RemoveConversation} Write
 *
 * @typedef {{ of: "settled" }
 *   | { of: "conversations" }
 *   | { of: "messages", conversation: string }
 *   | { of: "search", query: string, limit: number }
 *   | { of: "export", ids: string[] | null }
 *   | { of: "conversation", conversation: string } | { of: "import", file: Blob }} Question
 *
 * @typedef {{ type: "ask", id: number, question: Question }} Ask
 *
 * @typedef {Write | Ask} ToKeeper
 *
 * @typedef {{ type: "stored", through: number }} Stored
 * @typedef {{ type: "answer", id: number, value: any }} KeeperAnswer
 * @typedef {{ type: "refused", id: number, failure: Failure }} Refused
 * @typedef {{ type: "trouble", failure: Failure }} Trouble
 * @typedef {{ type: "other", change: Change }} Other
 *
 * @typedef {Stored | KeeperAnswer | Refused | Trouble | Other} FromKeeper
 */

export {};
