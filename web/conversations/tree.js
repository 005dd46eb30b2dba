/** @file The messages of one conversation: a tree, in which an answer made anew stands beside the old one. */

/** @import { StoredMessage } from "../keeping/types.js" */

/** Where messages without a parent hang. */
const ROOT = "";

export class Tree {
  /** @type {Map<string, StoredMessage>} */
  #messages = new Map();
  /** By parent, in the order in which they were made. @type {Map<string, string[]>} */
  #children = new Map();
  /** By parent: the branch that is shown. @type {Map<string, string>} */
  #chosen = new Map();

  /**
   * @param {StoredMessage[]} messages  in any order
   * @param {string | null} leaf  the message whose branch is shown
   */
  constructor(messages = [], leaf = null) {
    const inOrder = messages.toSorted((a, b) => a.at - b.at);
    for (const message of inOrder) this.#messages.set(message.id, message);
    for (const message of inOrder) this.#hang(message);
    if (leaf) this.choose(leaf);
  }

  /** @param {string} id */
  get(id) {
    return this.#messages.get(id) ?? null;
  }

  /** Every message, parents first. */
  all() {
    return this.#below(ROOT);
  }

  /** The messages shown, from the first to the last. */
  path() {
    /** @type {StoredMessage[]} */
    const path = [];
    for (let at = this.#shown(ROOT); at; at = this.#shown(at.id)) path.push(at);
    return path;
  }

  /** The last message shown. */
  get leaf() {
    return this.path().at(-1) ?? null;
  }

  /** Adds a message, which is shown from now on. @param {StoredMessage} message */
  add(message) {
    this.#insert(message);
    this.choose(message.id);
  }

  /** @param {StoredMessage} message */
  #insert(message) {
    this.#messages.set(message.id, message);
    this.#hang(message);
  }

  /**
   * Takes in what is in the store now: messages made elsewhere, and what became of those known.
   * @param {StoredMessage[]} stored
   * @param {(id: string) => boolean} isOurs  what this page is writing itself stays as it is
   * @returns {Set<string>}  those that changed
   */
  merge(stored, isOurs) {
    /** @type {Set<string>} */
    const changed = new Set();
    const are = new Set(stored.map(({ id }) => id));
    for (const id of this.#messages.keys()) if (!are.has(id) && !isOurs(id)) this.remove(id).forEach((gone) => changed.add(gone.id));
    for (const message of stored.toSorted((a, b) => a.at - b.at)) {
      const known = this.get(message.id);
      if (known && (isOurs(message.id) || isAlike(known, message))) continue;
      changed.add(message.id);
      if (known) Object.assign(known, message);
      else this.#insert(message);
    }
    return changed;
  }

  /** Shows the branch that this message is on. @param {string} id */
  choose(id) {
    for (let at = this.get(id); at; at = this.#parentOf(at)) this.#chosen.set(this.#placeOf(at), at.id);
  }

  /**
   * The messages that stand for one another, and which of them this one is.
   * @param {StoredMessage} message
   * @returns {{ ids: string[], at: number }}
   */
  branches(message) {
    const ids = this.#children.get(this.#placeOf(message)) ?? [];
    return { ids, at: ids.indexOf(message.id) };
  }

  /** Takes out a message and all that follows from it. @param {string} id @returns {StoredMessage[]} parents first */
  remove(id) {
    const message = this.get(id);
    if (!message) return [];
    const removed = [message, ...this.#below(id)];
    const place = this.#placeOf(message);
    const rest = (this.#children.get(place) ?? []).filter((other) => other !== id);
    for (const { id: each } of removed) {
      this.#messages.delete(each);
      this.#children.delete(each);
      this.#chosen.delete(each);
    }
    this.#children.set(place, rest);
    this.#chosen.delete(place);
    return removed;
  }

  /** The messages that lead to this one, from the first. @param {StoredMessage} message */
  before(message) {
    /** @type {StoredMessage[]} */
    const path = [];
    for (let at = this.#parentOf(message); at; at = this.#parentOf(at)) path.unshift(at);
    return path;
  }

  /** @param {StoredMessage} message */
  #hang(message) {
    const place = this.#placeOf(message);
    const siblings = this.#children.get(place) ?? [];
    siblings.push(message.id);
    siblings.sort((a, b) => (this.get(a)?.at ?? 0) - (this.get(b)?.at ?? 0)); // one that comes back takes its old place
    this.#children.set(place, siblings);
  }

  /** A parent that another tab has deleted is none. @param {StoredMessage} message */
  #placeOf({ parent }) {
    return parent && this.#messages.has(parent) ? parent : ROOT;
  }

  /** @param {StoredMessage} message */
  #parentOf(message) {
    return this.get(this.#placeOf(message));
  }

  /** The child that is shown: the one chosen, else the newest. @param {string} place */
  #shown(place) {
    const id = this.#chosen.get(place) ?? this.#children.get(place)?.at(-1);
    return id ? this.get(id) : null;
  }

  /** @param {string} place @returns {StoredMessage[]} */
  #below(place) {
    /** @type {StoredMessage[]} */
    const found = [];
    const waiting = [...(this.#children.get(place) ?? [])].reverse();
    for (let id = waiting.pop(); id; id = waiting.pop()) {
      const message = this.get(id);
      if (!message) continue;
      found.push(message);
      waiting.push(...[...(this.#children.get(id) ?? [])].reverse());
    }
    return found;
  }
}

/**
 * @param {StoredMessage} a
 * @param {StoredMessage} b
 */
const isAlike = (a, b) => a.state === b.state && a.text === b.text;
