/** @file One conversation: its messages, its title, and how it is kept. */

import { Tree } from "./tree.js";
import { answerOf } from "../thinking.js";

/** @import { ChatMessage } from "../../worker/protocol.js" */
/** @import { Keeper } from "../keeping/keeper.js" */
/** @import { StoredConversation, StoredMessage } from "../keeping/types.js" */

/** Of a title that the first prompt gives, characters. */
const TITLE_LENGTH = 60;

/** The last moment that there is, of ECMAScript's time. */
const MOST_TIME = 8.64e15;

/** The last time that was given. */
let lastAt = 0;

/**
 * The time, ms since 1970, but later than `other` and than every one before: where the clock is set back,
 * the order of the list and of versions stays, and a change is not taken for older than what it changes.
 * @param {number} other
 */
function later(other) {
  lastAt = Math.min(MOST_TIME, Math.max(Date.now(), lastAt + 1, other + 1));
  return lastAt;
}

export class Conversation {
  /** Whether it is in the store: one without a message is not. */
  #isKept;
  /** Changes of this page's own. */
  #writes = 0;

  /**
   * @param {Keeper} keeper
   * @param {StoredConversation} record
   * @param {StoredMessage[]} messages
   */
  constructor(keeper, record, messages) {
    this.keeper = keeper;
    this.record = record;
    this.tree = new Tree(messages, record.leaf);
    this.#isKept = messages.length > 0;
  }

  /** One that is kept from its first message on. @param {Keeper} keeper */
  static begin(keeper) {
    const now = later(0);
    const record = { id: crypto.randomUUID(), title: "", createdAt: now, changedAt: now, leaf: null };
    return new Conversation(keeper, record, []);
  }

  get id() {
    return this.record.id;
  }

  get isEmpty() {
    return this.tree.leaf === null;
  }

  /**
   * Adds a message below `parent`; it is shown from now on.
   * @param {"user" | "assistant"} role
   * @param {string} text
   * @param {string | null} parent
   * @returns {StoredMessage}
   */
  add(role, text, parent) {
    const message = /** @type {StoredMessage} */ ({
      id: crypto.randomUUID(),
      conversation: this.id,
      parent,
      role,
      text,
      state: role === "user" ? "done" : "streaming",
      at: this.#now(),
      figures: null,
    });
    this.tree.add(message);
    if (!this.record.title) this.record.title = titleOf(text);
    this.#changed();
    this.keeper.putMessage(message);
    return message;
  }

  /** New text of an answer that is being written. @param {StoredMessage} message @param {string} text */
  append(message, text) {
    if (this.tree.get(message.id)) this.keeper.append(message.id, text);
  }

  /**
   * Reads what is in the store now.
   * @param {(id: string) => boolean} isOurs  what this page is writing itself stays as it is
   */
  async reload(isOurs) {
    for (;;) {
      const writes = this.#writes;
      const stored = await this.keeper.messages(this.id);
      // What was written here meanwhile is not in it, and must not be taken for deleted.
      if (writes === this.#writes) return this.tree.merge(stored, isOurs);
    }
  }

  /** What the message is now is kept. @param {StoredMessage} message */
  put(message) {
    if (!this.tree.get(message.id)) return;
    this.#writes += 1;
    this.keeper.putMessage(message);
  }

  /** @param {string} id */
  choose(id) {
    this.tree.choose(id);
    this.#changed();
  }

  /** @param {string} title */
  rename(title) {
    this.record.title = title;
    if (this.#isKept) this.#changed();
  }

  /** Takes out a message and what follows from it. @param {string} id @returns {StoredMessage[]} */
  remove(id) {
    const removed = this.tree.remove(id);
    this.keeper.removeMessages(
      this.id,
      removed.map((message) => message.id),
    );
    this.#changed();
    return removed;
  }

  /** Puts back what `remove` took. @param {StoredMessage[]} messages */
  restore(messages) {
    for (const message of messages) this.tree.add(message);
    this.#changed();
    this.keeper.putMessages(messages);
  }

  /**
   * What the model reads to write `answer`: what leads to it, without prompts that were never answered,
   * and of earlier answers what was said, not what was thought.
   * @param {StoredMessage} answer  its own text comes last if it has any: it is to be gone on with
   * @param {string} system  the system prompt; may be empty
   * @returns {ChatMessage[]}
   */
  messagesFor(answer, system) {
    const path = this.tree.before(answer);
    const read = path.filter((message, i) => isWhole(message, path[i + 1] ?? answer, answer));
    const said = read.map(({ role, text }) => ({ role, content: role === "assistant" ? answerOf(text) : text }));
    const begun = answer.text ? [{ role: answer.role, content: answer.text }] : [];
    const all = /** @type {ChatMessage[]} */ ([...said, ...begun]);
    return system.trim() ? [{ role: "system", content: system }, ...all] : all;
  }

  /** Later than every other: the order of branches. */
  #now() {
    const newest = this.tree.all().reduce((at, message) => Math.max(at, message.at), 0);
    return later(newest);
  }

  #changed() {
    this.#writes += 1;
    this.#isKept = true;
    this.record.changedAt = later(this.record.changedAt);
    this.record.leaf = this.tree.leaf?.id ?? null;
    this.keeper.putConversation({ ...this.record });
  }
}

/**
 * @param {StoredMessage} message
 * @param {StoredMessage} next  after it on the way to `answer`
 * @param {StoredMessage} answer
 */
function isWhole(message, next, answer) {
  if (message.role === "assistant") return message.text !== "";
  return next === answer || next.role !== "assistant" || next.text !== "";
}

/** The first line that says something. @param {string} text */
function titleOf(text) {
  const line = text.split("\n", 20).find((each) => each.trim() !== "") ?? "";
  const letters = Array.from(line.trim().slice(0, 4 * TITLE_LENGTH));
  return letters.length > TITLE_LENGTH ? `${letters.slice(0, TITLE_LENGTH - 1).join("")}…` : letters.join("");
}
