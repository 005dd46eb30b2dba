/**
 * @file The store itself: one IndexedDB database.
 *
 * ```
 *   meta            "schema" → { version }        of what the rows mean
 *   conversations   id → ConversationRow
 *   messages        [conversation, id] → StoredMessage
 *   pieces          [conversation, message, start] → { text }   of answers that are being written
 * ```
 *
 * An answer's pieces go when the message is put whole. They are not put together before that: each
 * character is written twice in all, however long the answer, and the pieces of an answer that was cut
 * off are read together: 10,000 of them took a third of a second.
 */

import { KeepingError, lost, newer, reason, refused } from "../errors.js";
import { conversationOf, joined, merged } from "../merge.js";

/** @import { Failure } from "../../../worker/protocol.js" */
/** @import { Append, PutConversation, Write } from "../protocol.js" */
/** @import { ReadConversation } from "../reading.js" */
/** @import { StoredConversation, StoredMessage } from "../types.js" */

/** @typedef {Exclude<Write, PutConversation> | PutConversation & { base?: StoredConversation | undefined }} BasedWrite  what its tab knew */

export const NAME = "pageside-conversations";
export const VERSION = 1;

const STORES = ["conversations", "messages", "pieces"];

/** Of an import, characters on their way into the store. */
const MOST_UNDER_WAY = 4 * 1024 * 1024;

/** A database that does not open for so long, nor say why, is done without. */
const PATIENCE_MS = 8000;

/**
 * @param {(failure: Failure) => void} onClosed  by another tab, or by the browser
 * @returns {Promise<Database>}  rejects with a KeepingError
 */
export async function openDatabase(onClosed) {
  const opened = await opening().catch((error) => {
    throw new KeepingError(error.name === "VersionError" ? newer() : refused(reason(error)));
  });
  const version = await versionOf(opened);
  if (version <= VERSION) return new Database(opened, onClosed);
  opened.close();
  throw new KeepingError(newer());
}

/** @returns {Promise<IDBDatabase>} */
function opening() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
    const giveUp = (/** @type {string} */ why) => {
      reject(new Error(why));
      request.onsuccess = () => request.result.close();
    };
    const timer = setTimeout(() => giveUp("the database does not open"), PATIENCE_MS);
    request.onupgradeneeded = () => create(request);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      clearTimeout(timer);
      resolve(request.result);
    };
    request.onblocked = () => giveUp("an older Pageside in another tab holds them");
  });
}

/** @param {IDBOpenDBRequest} request */
function create({ result: database, transaction }) {
  for (const name of ["meta", ...STORES]) database.createObjectStore(name);
  transaction?.objectStore("meta").put({ version: VERSION }, "schema");
}

/** @param {IDBDatabase} database */
async function versionOf(database) {
  try {
    const schema = await result(database.transaction("meta").objectStore("meta").get("schema"));
    return schema?.version ?? VERSION;
  } catch (error) {
    throw new KeepingError(refused(reason(error)));
  }
}

export class Database {
  #database;

  /**
   * @param {IDBDatabase} database
   * @param {(failure: Failure) => void} onClosed
   */
  constructor(database, onClosed) {
    this.#database = database;
    database.onclose = () => onClosed(lost("the browser has closed the store"));
    database.onversionchange = ({ newVersion }) => {
      onClosed(newVersion === null ? lost("they are being removed") : newer());
      database.close();
    };
  }

  /**
   * All or none. Pieces are with the browser once this returns, and survive the page from then on; the
   * rest is on the disk when it resolves.
   * @param {BasedWrite[]} writes
   */
  async write(writes) {
    const pieces = writes.filter((write) => write.type === "append");
    if (pieces.length === writes.length) return this.#append(pieces);
    const transaction = this.#database.transaction(STORES, "readwrite", { durability: "strict" });
    await finished(transaction, async () => {
      for (const write of writes) await apply(transaction, write);
    });
  }

  /** Needs none of the other stores, and so waits for no import. @param {Append[]} pieces */
  async #append(pieces) {
    const transaction = this.#database.transaction("pieces", "readwrite", { durability: "relaxed" });
    const store = transaction.objectStore("pieces");
    await finished(transaction, () => {
      for (const { conversation, message, start, text } of pieces) store.put({ text }, [conversation, message, start]);
    });
  }

  /** @returns {Promise<StoredConversation[]>}  all, in no order: a row has some 200 bytes */
  async conversations() {
    const store = this.#database.transaction("conversations").objectStore("conversations");
    const rows = await result(store.getAll());
    return rows.map(conversationOf);
  }

  /**
   * @param {string[]} conversations
   * @returns {Promise<StoredMessage[][]>}
   */
  async messages(conversations) {
    const transaction = this.#database.transaction(["messages", "pieces"]);
    const store = transaction.objectStore("messages");
    const pieces = transaction.objectStore("pieces");
    const all = await Promise.all(conversations.map((id) => result(store.getAll(below(id)))));
    return Promise.all(all.map((messages) => Promise.all(messages.map((message) => whole(pieces, message)))));
  }

  /** All or none. @param {ReadConversation[]} all  with new ids */
  async import(all) {
    const transaction = this.#database.transaction(["conversations", "messages"], "readwrite", { durability: "strict" });
    await finished(transaction, async () => {
      let underWay = 0;
      for (const message of all.flatMap(({ messages }) => messages)) {
        const put = transaction.objectStore("messages").put(message, [message.conversation, message.id]);
        underWay += message.text.length + 100;
        if (underWay < MOST_UNDER_WAY) continue;
        await result(put);
        underWay = 0;
      }
      // Last, and in one go: where a worker was ended in the midst, Chromium has been seen to keep what it had.
      const conversations = transaction.objectStore("conversations");
      for (const { conversation } of all) conversations.put(merged(undefined, undefined, conversation), conversation.id);
    });
  }
}

/**
 * @param {IDBTransaction} transaction
 * @param {BasedWrite} write
 */
async function apply(transaction, write) {
  const conversations = transaction.objectStore("conversations");
  const messages = transaction.objectStore("messages");
  const pieces = transaction.objectStore("pieces");
  switch (write.type) {
    case "put-conversation": {
      const row = await result(conversations.get(write.conversation.id));
      conversations.put(merged(row, write.base, write.conversation), write.conversation.id);
      return;
    }
    case "put-messages":
      for (const message of write.messages) {
        messages.put(message, [message.conversation, message.id]);
        pieces.delete(below(message.conversation, message.id));
      }
      return;
    case "append":
      pieces.put({ text: write.text }, [write.conversation, write.message, write.start]);
      return;
    case "remove-messages":
      for (const id of write.ids) {
        messages.delete([write.conversation, id]);
        pieces.delete(below(write.conversation, id));
      }
      return;
    case "remove-conversation":
      pieces.delete(below(write.conversation));
      messages.delete(below(write.conversation));
      conversations.delete(write.conversation);
  }
}

/**
 * An answer that is being written, or was when its tab ended, with what has come of it.
 * @param {IDBObjectStore} store  of pieces
 * @param {StoredMessage} message
 */
async function whole(store, message) {
  if (message.state !== "streaming") return message;
  const its = below(message.conversation, message.id);
  const [keys, rows] = await Promise.all([result(store.getAllKeys(its)), result(store.getAll(its))]);
  const pieces = rows.map(({ text }, i) => ({ start: /** @type {any} */ (keys[i]).at(-1), text }));
  return { ...message, text: joined(message.text, pieces) };
}

/** The keys that begin with these. @param {string[]} key */
const below = (...key) => IDBKeyRange.bound(key, [...key, []]);

/**
 * Does the work and commits at once: nothing of this page is then needed any more.
 * @param {IDBTransaction} transaction
 * @param {() => Promise<void> | void} work
 * @returns {Promise<void>}
 */
function finished(transaction, work) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was aborted"));
    const fail = (/** @type {unknown} */ error) => {
      reject(error);
      abort(transaction);
    };
    try {
      const done = work();
      if (done) done.then(() => transaction.commit()).catch(fail);
      else transaction.commit();
    } catch (error) {
      fail(error);
    }
  });
}

/** @param {IDBTransaction} transaction */
function abort(transaction) {
  try {
    transaction.abort();
  } catch {
    // It has ended by itself.
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
