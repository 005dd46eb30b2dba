/**
 * @file All conversations: those in the database, and over them those that it could not take.
 * Without a database it is a memory, and runs anywhere.
 */

import { changesOf, Removed } from "./changes.js";
import { Contents } from "./contents.js";
import { full, importTooLarge, isQuota, KeepingError, lost, reason } from "./errors.js";
import { Memory } from "./memory.js";
import { readFile } from "./reading.js";
import { MOST_LISTED } from "./types.js";
import { Writer } from "./writer.js";

/** @import { Failure } from "../../worker/protocol.js" */
/** @import { Ask, FromKeeper, Question, ToKeeper, Write } from "./protocol.js" */
/** @import { Change, Imported, StoredConversation } from "./types.js" */
/** @import { Database } from "./worker/database.js" */

/** The page keeps what it has not heard to be stored; it need not hear it at every frame. */
const STORED_EVERY_MS = 500;

/**
 * @typedef {object} ArchiveEvents
 * @property {(message: FromKeeper) => void} post
 * @property {(change: Change) => void} changed   other tabs are to know
 * @property {(error: unknown) => void} broken    nothing more can be had of it
 */

export class Archive {
  #memory = new Memory();
  #contents = new Contents(() => this.#database, this.#memory);
  #removed = new Removed();
  #writer;
  /** @type {Database | null} */
  #database = null;
  #isKeeping = true;
  #ready;
  /** Conversations as this tab last wrote or first read them. @type {Map<string, StoredConversation>} */
  #bases = new Map();
  #through = 0;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #telling = null;

  /**
   * @param {ArchiveEvents} events
   * @param {((onClosed: (failure: Failure) => void) => Promise<Database>) | null} open
   */
  constructor(events, open) {
    this.events = events;
    this.#writer = new Writer(
      (writes, before) => this.#store(writes, before),
      (n) => this.#stored(n),
      events.broken,
    );
    this.#isKeeping = open !== null;
    this.#ready = (open ? this.#open(open) : Promise.resolve()).then(() => this.#writer.start());
  }

  /** @param {ToKeeper} message */
  receive(message) {
    if (message.type === "ask") void this.#answer(message);
    else this.#writer.add(message);
  }

  /** @param {Change} change  by another tab */
  other(change) {
    this.#removed.other(change);
    this.events.post({ type: "other", change });
    if (change.kind !== "deleted") return;
    this.#bases.delete(change.conversation);
    this.#writer.add({ type: "remove-conversation", n: 0, conversation: change.conversation, isEcho: true });
  }

  /** @param {(onClosed: (failure: Failure) => void) => Promise<Database>} open */
  async #open(open) {
    try {
      this.#database = await open((failure) => this.#closed(failure));
    } catch (error) {
      this.#closed(error instanceof KeepingError ? error.failure : lost(reason(error)));
    }
  }

  /** @param {Failure} failure */
  #closed(failure) {
    this.#database = null;
    this.#stopKeeping(failure);
  }

  /**
   * From now on in memory, to the end of the session: it would not be understood that some of what is
   * said is kept and some is not.
   * @param {Failure} failure
   */
  #stopKeeping(failure) {
    if (!this.#isKeeping) return;
    this.#isKeeping = false;
    this.events.post({ type: "trouble", failure });
  }

  /**
   * @param {Write[]} writes
   * @param {Promise<void>} before  the database knows its own order; the memory is told in this one
   */
  async #store(writes, before) {
    const left = this.#removed.without(writes);
    const keeping = Promise.resolve(left.length === 0 || (this.#isKeeping && this.#keep(left)));
    await Promise.all([before, keeping]);
    if (await keeping) return;
    for (const write of left) this.#memory.apply(write);
    const removals = left.filter(({ type }) => type === "remove-messages" || type === "remove-conversation");
    // What makes room is done all the same.
    if (removals.length > 0) await this.#database?.write(removals).catch(() => undefined);
  }

  /**
   * @param {Write[]} writes
   * @returns {Promise<boolean>}
   */
  async #keep(writes) {
    const database = this.#database;
    try {
      await database?.write(writes.map((write) => this.#based(write)));
    } catch (error) {
      if (this.#database !== database) return false;
      if (!isQuota(error)) throw error;
      this.#stopKeeping(full());
    }
    if (this.#isKeeping) for (const write of writes) changesOf(write).forEach(this.events.changed);
    return this.#isKeeping;
  }

  /** @param {Write} write */
  #based(write) {
    if (write.type !== "put-conversation") return write;
    const { conversation } = write;
    const base = this.#bases.get(conversation.id);
    this.#bases.set(conversation.id, conversation);
    return { ...write, base };
  }

  /** @param {number} n */
  #stored(n) {
    this.#through = n;
    this.#telling ??= setTimeout(() => {
      this.#telling = null;
      this.events.post({ type: "stored", through: this.#through });
    }, STORED_EVERY_MS);
  }

  /** @param {Ask} ask */
  async #answer({ id, question }) {
    try {
      await this.#ready;
      await this.#writer.settled();
      this.events.post({ type: "answer", id, value: await this.#value(question) });
    } catch (error) {
      if (!(error instanceof KeepingError)) return this.events.broken(error);
      this.events.post({ type: "refused", id, failure: error.failure });
    }
  }

  /** @param {Question} question */
  #value(question) {
    switch (question.of) {
      case "settled":
        return undefined;
      case "conversations":
        return this.#listed();
      case "conversation":
        return this.#one(question.conversation);
      case "messages":
        return this.#contents.shown(question.conversation);
      case "search":
        return this.#contents.search(question.query, question.limit);
      case "export":
        return this.#contents.export(question.ids);
      case "import":
        return this.#import(question.file);
    }
  }

  async #listed() {
    return this.#read((await this.#contents.conversations()).slice(0, MOST_LISTED));
  }

  /** @param {string} id */
  async #one(id) {
    const [found = null] = this.#read((await this.#contents.conversations()).filter((each) => each.id === id));
    return found;
  }

  /** The page knows these from now on. @param {StoredConversation[]} conversations */
  #read(conversations) {
    for (const each of conversations) if (!this.#bases.has(each.id)) this.#bases.set(each.id, each);
    return conversations;
  }

  /**
   * @param {Blob} file
   * @returns {Promise<Imported>}
   */
  async #import(file) {
    const read = await readFile(file);
    const database = this.#isKeeping ? this.#database : null;
    if (database) {
      await database.import(read).catch((error) => {
        throw isQuota(error) ? new KeepingError(importTooLarge("there is no room for the file's conversations")) : error;
      });
      this.events.changed({ kind: "all", conversation: "" });
    } else {
      for (const { conversation, messages } of read) {
        this.#memory.apply({ type: "put-conversation", n: 0, conversation });
        this.#memory.apply({ type: "put-messages", n: 0, messages });
      }
    }
    return { conversations: read.length, messages: read.reduce((count, { messages }) => count + messages.length, 0) };
  }
}
