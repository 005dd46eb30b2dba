/** @file The kept conversations as the page sees them. Nothing here waits, and nothing fails but an import. */

import { Link } from "../link.js";
import { startKeeper } from "../trusted.js";
import { Answers } from "./answers.js";
import { Archive } from "./archive.js";
import { lost, reason } from "./errors.js";

/** @import { Failure } from "../../worker/protocol.js" */
/** @import { OpenAnswer } from "./answers.js" */
/** @import { Append, FromKeeper, PutConversation, PutMessages, Question, RemoveConversation, RemoveMessages, ToKeeper, Write } from "./protocol.js" */
/** @import { Change, Found, Imported, StoredConversation, StoredMessage } from "./types.js" */

/**
 * @typedef {Omit<PutConversation, "n"> | Omit<PutMessages, "n"> | Omit<Append, "n"> | Omit<RemoveMessages, "n">
 *   | Omit<RemoveConversation, "n">} Unnumbered
 *
 * @typedef {{ question: Question, resolve: (value: any) => void, reject: (failure: Failure) => void }} Asked
 */

export class Keeper {
  /** Whether what is written outlasts the page. */
  isKeeping = true;
  #answers = new Answers();
  #n = 0;
  /** What a new worker is told again. @type {Write[]} */
  #unstored = [];
  /** @type {Map<number, Asked>} */
  #asked = new Map();
  #nextId = 1;
  #hasRestarted = false;
  #hasAskedToPersist = false;
  /** @type {{ post: (message: ToKeeper) => void }} */
  #link;

  /**
   * @param {(failure: Failure) => void} onTrouble  at most once: from now on in memory only
   * @param {(change: Change) => void} onOther      another tab has changed something
   */
  static open(onTrouble, onOther) {
    return new Keeper(onTrouble, onOther);
  }

  /**
   * @param {(failure: Failure) => void} onTrouble
   * @param {(change: Change) => void} onOther
   */
  constructor(onTrouble, onOther) {
    this.onTrouble = onTrouble;
    this.onOther = onOther;
    this.#link = this.#start();
  }

  /** @returns {Promise<StoredConversation[]>}  newest first, at most MOST_LISTED */
  conversations() {
    return this.#ask({ of: "conversations" });
  }

  /**
   * One of all, also of those that are not listed.
   * @param {string} id
   * @returns {Promise<StoredConversation | null>}
   */
  conversation(id) {
    return this.#ask({ of: "conversation", conversation: id });
  }

  /**
   * Oldest first. One that streams in no tab any more is stopped, and interrupted.
   * @param {string} conversation
   * @returns {Promise<StoredMessage[]>}
   */
  messages(conversation) {
    return this.#ask({ of: "messages", conversation });
  }

  /**
   * In one transaction with what is kept: of title and leaf, what this tab did not change stays as
   * another tab has put it, and of two changes the later one stays.
   * @param {StoredConversation} conversation
   */
  putConversation(conversation) {
    this.#write({ type: "put-conversation", conversation: { ...conversation } });
    if (!this.#hasAskedToPersist) void this.#persist();
  }

  /** @param {StoredMessage} message  whole: its text is all there is of it */
  putMessage(message) {
    this.putMessages([message]);
  }

  /** @param {StoredMessage[]} messages */
  putMessages(messages) {
    for (const message of messages) if (message.state === "streaming") this.#answers.begin(message);
    this.#write({ type: "put-messages", messages: messages.map(({ isInterrupted: _, ...message }) => message) });
    const ended = new Set(messages.filter(({ state }) => state !== "streaming").map(({ id }) => id));
    this.#end((id) => ended.has(id));
  }

  /**
   * New text of a message that was put as streaming, and has not ended. One post, of this text.
   * @param {string} message
   * @param {string} text
   */
  append(message, text) {
    const place = this.#answers.append(message, text);
    if (place && text) this.#write({ type: "append", message, text, ...place });
  }

  /**
   * @param {string} conversation
   * @param {string[]} ids
   */
  removeMessages(conversation, ids) {
    this.#write({ type: "remove-messages", conversation, ids });
    this.#end((id) => ids.includes(id));
  }

  /** @param {string} conversation */
  removeConversation(conversation) {
    this.#write({ type: "remove-conversation", conversation });
    this.#end((_, answer) => answer.conversation === conversation);
  }

  /**
   * In titles and texts, newest first, one a conversation. A newer search ends an older one, which then found nothing.
   * @param {string} query
   * @param {number} [limit]
   * @returns {Promise<Found[]>}
   */
  search(query, limit = 50) {
    return this.#ask({ of: "search", query, limit });
  }

  /**
   * @param {string[]} [ids]
   * @returns {Promise<Blob>}  as in formats.js
   */
  exportAll(ids) {
    return this.#ask({ of: "export", ids: ids ?? null });
  }

  /**
   * @param {Blob} file
   * @returns {Promise<Imported>}  rejects with a Failure, and then nothing was imported
   */
  import(file) {
    return this.#ask({ of: "import", file });
  }

  /** Resolves when all that was written so far is stored. @returns {Promise<void>} */
  settled() {
    return this.#ask({ of: "settled" });
  }

  #start() {
    return new Link(
      startKeeper(),
      (/** @type {FromKeeper} */ message) => this.#receive(message),
      (_, why) => this.#lost(why),
    );
  }

  /** @param {Unnumbered} write */
  #write(write) {
    this.#n += 1;
    const numbered = /** @type {Write} */ ({ ...write, n: this.#n });
    this.#unstored.push(numbered);
    this.#link.post(numbered);
  }

  /**
   * @param {Question} question
   * @returns {Promise<any>}
   */
  #ask(question) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { question, resolve, reject });
      this.#link.post({ type: "ask", id, question });
    });
  }

  /** @param {FromKeeper} message */
  #receive(message) {
    switch (message.type) {
      case "stored":
        this.#unstored = this.#unstored.filter(({ n }) => n > message.through);
        return;
      case "answer":
        return this.#take(message.id)?.resolve(message.value);
      case "refused":
        return this.#take(message.id)?.reject(message.failure);
      case "trouble":
        return this.#trouble(message.failure);
      case "other":
        return this.onOther(message.change);
    }
  }

  /** @param {number} id */
  #take(id) {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  /** @param {Failure} failure */
  #trouble(failure) {
    if (!this.isKeeping) return;
    this.isKeeping = false;
    this.onTrouble(failure);
  }

  /**
   * The worker has ended. Another takes over, once; then this page's memory does.
   * @param {string} why
   */
  #lost(why) {
    if (this.#hasRestarted || !this.isKeeping) {
      this.#link = this.#remember();
      this.#trouble(lost(why));
    } else this.#link = this.#start();
    this.#hasRestarted = true;
    for (const write of this.#unstored) this.#link.post(write);
    for (const [id, { question, reject }] of this.#asked) {
      if (question.of !== "import") this.#link.post({ type: "ask", id, question });
      else if (this.#asked.delete(id)) reject(lost("in the midst of an import, which may be there or not"));
    }
  }

  /** @returns {{ post: (message: ToKeeper) => void }} */
  #remember() {
    const events = {
      post: (/** @type {FromKeeper} */ message) => this.#receive(message),
      changed: () => undefined,
      broken: (/** @type {unknown} */ error) => console.error(reason(error)),
    };
    const archive = new Archive(events, null);
    return { post: (message) => archive.receive(message) };
  }

  /** @param {(id: string, answer: OpenAnswer) => boolean} isEnded */
  #end(isEnded) {
    const released = this.#answers.end(isEnded);
    if (released.length > 0) void this.settled().then(() => released.forEach((release) => release()));
  }

  /** Asks that what is kept is not cleared when the disk is full; Chromium decides by itself. */
  async #persist() {
    this.#hasAskedToPersist = true;
    await this.settled();
    if (this.isKeeping) await navigator.storage?.persist?.().catch(() => false);
  }
}
