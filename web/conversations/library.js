/** @file All conversations: which one is open, and what is done with them as wholes. */

import { Conversation } from "./conversation.js";
import { toMarkdown } from "../keeping/formats.js";
import { fileNameOf, saveFile } from "../saving.js";
import { say } from "../words.js";

/** @import { Failure } from "../../worker/protocol.js" */
/** @import { Chat } from "../chat.js" */
/** @import { Keeper } from "../keeping/keeper.js" */
/** @import { StoredConversation, StoredMessage } from "../keeping/types.js" */
/** @import { Notice } from "../notice.js" */

/**
 * @typedef {object} LibraryParts
 * @property {Keeper} keeper
 * @property {Chat} chat
 * @property {Notice} notice
 * @property {() => void} onChange  what is listed or open has changed
 */

export class Library {
  #opening = 0;
  /** What is sent now would belong to no conversation that stays open. */
  isOpening = false;

  /** @param {LibraryParts} parts */
  constructor(parts) {
    this.parts = parts;
  }

  /** An empty conversation. */
  async begin() {
    this.#opening += 1;
    await this.#show(Conversation.begin(this.parts.keeper));
  }

  /** Opens one that is kept; one that is not there any more is a new one. @param {string} id */
  async open(id) {
    this.#opening += 1;
    const opening = this.#opening;
    const { keeper, chat } = this.parts;
    const known = chat.known(id);
    if (known) {
      // It is written into: what is read now may have been added to by the time it is here.
      await this.#show(known);
      if (chat.conversation === known) await chat.refresh();
      return;
    }
    this.isOpening = true;
    const [record, messages] = await Promise.all([keeper.conversation(id), keeper.messages(id)]);
    if (opening !== this.#opening) return; // another was opened meanwhile
    await (record ? this.#show(new Conversation(keeper, record, messages)) : this.begin());
  }

  /**
   * @param {StoredConversation} record
   * @param {string} title
   */
  rename(record, title) {
    const { keeper, chat } = this.parts;
    const open = chat.known(record.id);
    if (open) open.rename(title);
    else keeper.putConversation({ ...record, title });
    this.parts.onChange();
  }

  /** @param {StoredConversation} record */
  async delete(record) {
    const { keeper, chat, notice } = this.parts;
    const messages = (await keeper.messages(record.id)).map(ended);
    chat.answering.end(record.id);
    keeper.removeConversation(record.id);
    if (chat.conversation.id === record.id) await this.begin();
    this.parts.onChange();
    const onUndo = () => {
      keeper.putConversation(record);
      keeper.putMessages(messages);
      void this.open(record.id);
    };
    notice.say(say("“{title}” was deleted", { title: record.title }), { about: record.id, onUndo });
  }

  /** The open one was deleted in another tab: what was sent into it would be written to nowhere. */
  async leave() {
    const { chat, notice } = this.parts;
    chat.answering.end(chat.conversation.id);
    await this.begin();
    notice.say(say("This conversation was deleted in another tab"));
  }

  /** @param {StoredConversation} record */
  async saveMarkdown(record) {
    const conversation = new Conversation(this.parts.keeper, record, await this.parts.keeper.messages(record.id));
    const text = toMarkdown(record, conversation.tree.path());
    saveFile(new Blob([text], { type: "text/markdown" }), `${fileNameOf(record.title)}.md`);
  }

  /** @param {StoredConversation | null} record  null: all there are */
  async saveJson(record) {
    const blob = await this.parts.keeper.exportAll(record ? [record.id] : undefined);
    saveFile(blob, `${record ? fileNameOf(record.title) : "pageside-conversations"}.json`);
  }

  /** @param {Blob} file */
  async import(file) {
    const { keeper, notice } = this.parts;
    try {
      const { conversations: count } = await keeper.import(file);
      notice.say(count === 1 ? say("1 conversation was imported") : say("{count} conversations were imported", { count }));
    } catch (failure) {
      notice.fail(/** @type {Failure} */ (failure));
    }
    this.parts.onChange();
  }

  /** @param {Conversation} conversation */
  async #show(conversation) {
    this.isOpening = false;
    const shown = this.parts.chat.open(conversation);
    this.parts.onChange();
    await shown;
  }
}

/** What was being written when it was deleted comes back as it was then. @param {StoredMessage} message @returns {StoredMessage} */
const ended = (message) => (message.state === "streaming" ? { ...message, state: "stopped" } : message);
