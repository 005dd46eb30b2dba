/** @file What cannot be kept: it lasts as long as the page, and lies over what was kept before. */

import { conversationOf, joined, merged, newestFirst, oldestFirst } from "./merge.js";

/** @import { ConversationRow, Piece } from "./merge.js" */
/** @import { Append, Write } from "./protocol.js" */
/** @import { StoredConversation, StoredMessage } from "./types.js" */

export class Memory {
  /** @type {Map<string, ConversationRow>} */
  #conversations = new Map();
  /** By conversation, by id. @type {Map<string, Map<string, StoredMessage>>} */
  #messages = new Map();
  /** By message. @type {Map<string, Piece[]>} */
  #pieces = new Map();

  /** @param {Write} write */
  apply(write) {
    switch (write.type) {
      case "put-conversation": {
        const { conversation } = write;
        this.#conversations.set(conversation.id, merged(undefined, undefined, conversation));
        return;
      }
      case "put-messages":
        return write.messages.forEach((message) => this.#put(message));
      case "append":
        return this.#append(write);
      case "remove-messages":
        for (const id of write.ids) this.#remove(write.conversation, id);
        return;
      case "remove-conversation":
        for (const id of this.#of(write.conversation).keys()) this.#pieces.delete(id);
        this.#messages.delete(write.conversation);
        this.#conversations.delete(write.conversation);
    }
  }

  /**
   * @param {StoredConversation[]} kept
   * @returns {StoredConversation[]}  newest first
   */
  conversationsOver(kept) {
    const others = kept.filter(({ id }) => !this.#conversations.has(id));
    return [...others, ...[...this.#conversations.values()].map(conversationOf)].sort(newestFirst);
  }

  /**
   * @param {string} conversation
   * @param {StoredMessage[]} kept
   * @returns {StoredMessage[]}  oldest first
   */
  messagesOver(conversation, kept) {
    const ours = this.#of(conversation);
    const others = kept.filter(({ id }) => !ours.has(id));
    return [...others, ...ours.values()]
      .map((message) => ({ ...message, text: joined(message.text, this.#pieces.get(message.id) ?? []) }))
      .sort(oldestFirst);
  }

  /** @param {string} conversation */
  #of(conversation) {
    return this.#messages.get(conversation) ?? /** @type {Map<string, StoredMessage>} */ (new Map());
  }

  /** @param {StoredMessage} message */
  #put(message) {
    const messages = this.#of(message.conversation);
    this.#messages.set(message.conversation, messages.set(message.id, message));
    this.#pieces.delete(message.id);
  }

  /** @param {Append} piece */
  #append({ message, start, text }) {
    const pieces = this.#pieces.get(message) ?? [];
    const last = pieces.at(-1);
    if (last && last.start + last.text.length === start) last.text += text;
    else pieces.push({ start, text });
    this.#pieces.set(message, pieces);
  }

  /**
   * @param {string} conversation
   * @param {string} id
   */
  #remove(conversation, id) {
    this.#messages.get(conversation)?.delete(id);
    this.#pieces.delete(id);
  }
}
