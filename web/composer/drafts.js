/** @file What was being written in each conversation, kept over a reload. */

/** @import { Failure } from "../../worker/protocol.js" */

/**
 * As much of the browser's Storage as is used.
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} TextStorage
 */

const MOST_DRAFTS = 50;
/** UTF-16 units of all drafts together: a fifth of what browsers give an origin. */
const MOST_LENGTH = 1e6;
/** A draft is written when typing rests. */
const REST_MS = 400;

/** A line for each draft, its length and its conversation, the oldest first. Each text stands beside it. */
const INDEX = "pageside:drafts";
/** @param {string} conversation */
const keyOf = (conversation) => `pageside:draft:${conversation}`;

export class Drafts {
  /** Not written yet, or too long to be. @type {Map<string, string>} */
  #waiting = new Map();
  #timer = 0;
  #isTold = false;

  /**
   * @param {TextStorage | null} [storage]  null: there is none
   * @param {(failure: Failure) => void} [onTrouble]  at most once: from then on drafts live as long as the page
   */
  constructor(storage = ownStorage(), onTrouble = () => {}) {
    this.storage = storage ?? new MemoryStorage();
    this.onTrouble = onTrouble;
    if (storage === null) this.#trouble("the browser keeps nothing for this page");
    addEventListener("pagehide", () => this.flush());
    document.addEventListener("visibilitychange", () => document.hidden && this.flush());
  }

  /** @param {string} conversation */
  of(conversation) {
    return this.#waiting.get(conversation) ?? this.storage.getItem(keyOf(conversation)) ?? "";
  }

  /**
   * @param {string} conversation
   * @param {string} text  empty: it was sent, or is not wanted
   */
  keep(conversation, text) {
    this.#waiting.set(conversation, text);
    clearTimeout(this.#timer);
    if (text === "") this.flush();
    else this.#timer = setTimeout(() => this.flush(), REST_MS);
  }

  /** Forgets all. */
  clear() {
    clearTimeout(this.#timer);
    this.#waiting.clear();
    for (const [conversation] of indexOf(this.storage)) this.storage.removeItem(keyOf(conversation));
    this.storage.removeItem(INDEX);
  }

  /** Writes what waits, at once. */
  flush() {
    clearTimeout(this.#timer);
    for (const [conversation, text] of this.#waiting) {
      if (text.length > MOST_LENGTH) this.#trouble("a draft is too long");
      else {
        this.#write(conversation, text);
        this.#waiting.delete(conversation);
      }
    }
  }

  /**
   * @param {string} conversation
   * @param {string} text
   */
  #write(conversation, text) {
    try {
      write(this.storage, conversation, text);
    } catch (error) {
      this.#trouble(error instanceof Error ? error.message : String(error));
      this.storage = copyOf(this.storage);
      write(this.storage, conversation, text);
    }
  }

  /** @param {string} why */
  #trouble(why) {
    if (this.#isTold) return;
    this.#isTold = true;
    this.onTrouble({
      code: "drafts_unkept",
      message: `what you write but do not send ends with this page: ${why}`,
      hint: "",
    });
  }
}

/** For as long as the page is there. @implements {TextStorage} */
class MemoryStorage {
  /** @type {Map<string, string>} */
  #items = new Map();

  /** @param {string} key */
  getItem(key) {
    return this.#items.get(key) ?? null;
  }

  /**
   * @param {string} key
   * @param {string} text
   */
  setItem(key, text) {
    this.#items.set(key, text);
  }

  /** @param {string} key */
  removeItem(key) {
    this.#items.delete(key);
  }
}

/** @returns {TextStorage | null} */
function ownStorage() {
  try {
    localStorage.getItem(INDEX);
    return localStorage;
  } catch {
    return null; // refused or corrupt; the constructor says so
  }
}

/**
 * The oldest go first, so that there is room.
 * @param {TextStorage} storage
 * @param {string} conversation
 * @param {string} text
 */
function write(storage, conversation, text) {
  const index = indexOf(storage).filter(([other]) => other !== conversation);
  let length = index.reduce((sum, [, one]) => sum + one, text.length);
  const most = text === "" ? MOST_DRAFTS : MOST_DRAFTS - 1;
  while (index.length > most || length > MOST_LENGTH) {
    const [oldest, freed] = /** @type {[string, number]} */ (index.shift());
    storage.removeItem(keyOf(oldest));
    length -= freed;
  }
  if (text === "") storage.removeItem(keyOf(conversation));
  else {
    storage.setItem(keyOf(conversation), text);
    index.push([conversation, text.length]);
  }
  storage.setItem(INDEX, index.map(([other, one]) => `${one} ${other}`).join("\n"));
}

/**
 * Read each time: another tab may have written.
 * @param {TextStorage} storage
 * @returns {[string, number][]}
 */
function indexOf(storage) {
  const lines = (storage.getItem(INDEX) ?? "").matchAll(/^(\d+) (.+)$/gm);
  return [...lines].map(([, length, conversation]) => [String(conversation), Number(length)]);
}

/** What a storage holds that takes no more. @param {TextStorage} storage */
function copyOf(storage) {
  const copy = new MemoryStorage();
  for (const [conversation] of indexOf(storage)) write(copy, conversation, storage.getItem(keyOf(conversation)) ?? "");
  return copy;
}
