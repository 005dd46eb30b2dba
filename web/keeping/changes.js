/** @file What tabs tell each other, and what they make of it. */

/** @import { Write } from "./protocol.js" */
/** @import { Change } from "./types.js" */

/**
 * What a tab goes on writing to a removed conversation is dropped: it would lie there for ever, seen
 * by no one. Only who removed a conversation can bring it back; two may have.
 */
export class Removed {
  /** @type {Map<string, "here" | "elsewhere">} */
  #conversations = new Map();

  /** @param {Change} change  by another tab */
  other({ kind, conversation }) {
    if (kind === "deleted") this.#conversations.set(conversation, this.#conversations.get(conversation) ?? "elsewhere");
    if (kind === "conversation") this.#conversations.delete(conversation);
  }

  /**
   * What is left of the writes.
   * @param {Write[]} writes
   * @returns {Write[]}
   */
  without(writes) {
    return writes.flatMap((write) => this.#left(write));
  }

  /** @param {Write} write @returns {Write[]} */
  #left(write) {
    switch (write.type) {
      case "put-conversation": {
        const { id } = write.conversation;
        if (this.#conversations.get(id) === "elsewhere") return [];
        this.#conversations.delete(id);
        return [write];
      }
      case "put-messages": {
        const messages = write.messages.filter(({ conversation }) => !this.#conversations.has(conversation));
        return messages.length ? [{ ...write, messages }] : [];
      }
      case "remove-conversation":
        this.#conversations.set(write.conversation, this.#conversations.get(write.conversation) ?? "here");
        return [write];
      default:
        return this.#conversations.has(write.conversation) ? [] : [write];
    }
  }
}

/**
 * What other tabs are told. Not of pieces: they show an answer of this tab when it has ended.
 * @param {Write} write
 * @returns {Change[]}
 */
export function changesOf(write) {
  switch (write.type) {
    case "put-conversation":
      return [{ kind: "conversation", conversation: write.conversation.id }];
    case "put-messages":
      return [...new Set(write.messages.map(({ conversation }) => conversation))].map((conversation) => ({ kind: "message", conversation }));
    case "remove-messages":
      return [{ kind: "message", conversation: write.conversation }];
    case "remove-conversation":
      return write.isEcho ? [] : [{ kind: "deleted", conversation: write.conversation }];
    case "append":
      return [];
  }
}
