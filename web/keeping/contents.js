/** @file Reading what is kept, and over it what could not be. */

import { BEGINNING, BETWEEN, END, toJson } from "./formats.js";
import { finder, foundIn } from "./search.js";
import { answerLock } from "./types.js";

/** @import { Memory } from "./memory.js" */
/** @import { Found, StoredConversation, StoredMessage } from "./types.js" */
/** @import { Database } from "./worker/database.js" */

/** Conversations read at once: between two groups the pieces of an answer are stored. */
const GROUP = 8;

export class Contents {
  #searches = 0;

  /**
   * @param {() => Database | null} database  the one that there is now
   * @param {Memory} memory
   */
  constructor(database, memory) {
    this.database = database;
    this.memory = memory;
  }

  /** @returns {Promise<StoredConversation[]>}  newest first */
  async conversations() {
    return this.memory.conversationsOver(await this.#kept((database) => database.conversations(), []));
  }

  /**
   * @param {string[]} conversations
   * @returns {Promise<StoredMessage[][]>}  oldest first
   */
  async messages(conversations) {
    const kept = await this.#kept((database) => database.messages(conversations), []);
    return conversations.map((id, i) => this.memory.messagesOver(id, kept[i] ?? []));
  }

  /**
   * The messages of one conversation, and what became of those that were being written.
   * @param {string} conversation
   */
  async shown(conversation) {
    const [messages = []] = await this.messages([conversation]);
    if (!messages.some(({ state }) => state === "streaming")) return messages;
    const { held = [] } = await navigator.locks.query();
    const names = new Set(held.map(({ name }) => name));
    return messages.map((message) => (names.has(answerLock(message.id)) ? message : interrupted(message)));
  }

  /**
   * Conversation by conversation, newest first. A newer search ends an older one, which then found nothing.
   * @param {string} query
   * @param {number} limit
   * @returns {Promise<Found[]>}
   */
  async search(query, limit) {
    this.#searches += 1;
    const search = this.#searches;
    const find = finder(query);
    /** @type {Found[]} */
    const found = [];
    if (!find) return found;
    for await (const [conversation, messages] of this.#each(await this.conversations())) {
      if (search !== this.#searches) return [];
      const match = foundIn(conversation, messages, find);
      if (match) found.push(match);
      if (found.length >= limit) break;
    }
    return found;
  }

  /** @param {string[] | null} ids  null: all */
  async export(ids) {
    const wanted = ids && new Set(ids);
    const conversations = (await this.conversations()).filter(({ id }) => !wanted || wanted.has(id));
    /** @type {BlobPart[]} */
    const parts = [];
    // A Blob each: what is written need not stay in this thread's memory.
    for await (const [conversation, messages] of this.#each(conversations)) {
      parts.push(new Blob([parts.length > 0 ? BETWEEN : "", toJson(conversation, messages)]));
    }
    return new Blob([BEGINNING, ...parts, END], { type: "application/json" });
  }

  /**
   * @param {StoredConversation[]} conversations
   * @returns {AsyncGenerator<[StoredConversation, StoredMessage[]]>}
   */
  async *#each(conversations) {
    for (let at = 0; at < conversations.length; at += GROUP) {
      const group = conversations.slice(at, at + GROUP);
      const messages = await this.messages(group.map(({ id }) => id));
      for (const [i, conversation] of group.entries()) yield [conversation, messages[i] ?? []];
    }
  }

  /**
   * @template T
   * @param {(database: Database) => Promise<T>} read
   * @param {T} none
   */
  async #kept(read, none) {
    const database = this.database();
    try {
      return database ? await read(database) : none;
    } catch (error) {
      if (this.database() === database) throw error;
      return none; // it was closed meanwhile
    }
  }
}

/** @param {StoredMessage} message @returns {StoredMessage} */
function interrupted(message) {
  return message.state === "streaming" ? { ...message, state: "stopped", isInterrupted: true } : message;
}
