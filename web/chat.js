/** @file The chat: the conversation that is open, on the page and in the store, and what is done with its messages. */

import { mark } from "./marks.js";
import { AnswerMessage, PromptMessage } from "./transcript/message.js";

/** @import { Answering } from "./answering.js" */
/** @import { Conversation } from "./conversations/conversation.js" */
/** @import { StoredMessage } from "./keeping/types.js" */
/** @import { Scroll } from "./scroll.js" */
/** @import { Shown, Transcript } from "./transcript/transcript.js" */

/**
 * @typedef {object} ChatParts
 * @property {Answering} answering
 * @property {Transcript} transcript
 * @property {Scroll} scroll
 * @property {() => void} onChange  what may be done, or what is listed, may have changed
 */

export class Chat {
  /**
   * @param {ChatParts} parts
   * @param {Conversation} conversation  an empty one
   */
  constructor(parts, conversation) {
    this.answering = parts.answering;
    this.transcript = parts.transcript;
    this.scroll = parts.scroll;
    this.onChange = parts.onChange;
    this.conversation = conversation;
  }

  /** Tokens of the conversation so far, as far as the last answer tells. */
  get tokens() {
    const figures = this.conversation.tree.path().findLast((message) => message.figures)?.figures;
    return figures ? figures.promptTokens + figures.tokens : 0;
  }

  /** The one object that is written into, of a conversation that is open or being answered. @param {string} id */
  known(id) {
    return this.conversation.id === id ? this.conversation : this.answering.conversation(id);
  }

  /** Shows a conversation. What is being made goes on. @param {Conversation} conversation */
  async open(conversation) {
    this.conversation = conversation;
    this.scroll.stick();
    const ids = conversation.tree.path().map(({ id }) => id);
    await this.transcript.show(ids, (id) => this.#show(id));
    this.scroll.follow();
  }

  /** @param {string} prompt */
  send(prompt) {
    mark("send");
    const parent = this.conversation.tree.leaf?.id ?? null;
    this.#ask(prompt, parent);
  }

  /**
   * Sends a prompt in another wording: a branch beside the first. In the same wording it gets another answer.
   * @param {string} id
   * @param {string} text
   */
  resend(id, text) {
    const { tree } = this.conversation;
    const message = tree.get(id);
    if (!message) return;
    if (text === message.text) {
      const answer = tree.path().find(({ parent }) => parent === id);
      return answer ? this.regenerate(answer.id) : this.#answer(id);
    }
    this.#cutFrom(id);
    this.#ask(text, message.parent);
  }

  /** Makes another answer beside this one; one that says nothing is replaced. @param {string} id */
  regenerate(id) {
    const message = this.conversation.tree.get(id);
    if (!message) return;
    const { tree } = this.conversation;
    this.#cutFrom(id);
    // One that was gone on from is kept with what follows it, as another version.
    if (message.text === "" && tree.leaf?.id === id) this.conversation.remove(id);
    this.#answer(message.parent);
  }

  /** Goes on with an answer where it ended; one that was already answered to is left, and a copy goes on. @param {string} id */
  async resume(id) {
    const { conversation } = this;
    const ended = conversation.tree.get(id);
    if (!ended) return;
    const isLast = conversation.tree.leaf?.id === id;
    const message = isLast ? ended : conversation.add("assistant", ended.text, ended.parent);
    this.#cutFrom(id);
    message.state = "streaming";
    conversation.put(message);
    await this.answering.resume(conversation, this.#begun(message));
  }

  /**
   * Shows another version of a message.
   * @param {string} id  of the one that is shown
   * @param {string} other
   */
  turnTo(id, other) {
    this.#cutFrom(id);
    this.conversation.choose(other);
    this.#extendFrom(other);
  }

  /** Takes out a message and what follows it. @param {string} id @returns {StoredMessage[]} */
  remove(id) {
    const { tree } = this.conversation;
    const message = tree.get(id);
    if (!message) return [];
    this.#cutFrom(id);
    const removed = this.conversation.remove(id);
    for (const each of removed) this.answering.cancel(each.id);
    const { ids } = tree.branches(message);
    const [next] = tree.path().filter((each) => ids.includes(each.id));
    if (next) this.#extendFrom(next.id);
    this.onChange();
    return removed;
  }

  /** Brings the page up to what another tab has changed: what stands before it stays, and where a person reads. */
  async refresh() {
    const { conversation, transcript } = this;
    const changed = await conversation.reload((id) => this.answering.view(id) !== undefined);
    if (conversation !== this.conversation) return;
    if (!transcript.isWhole) return this.open(conversation);
    // Read only now: meanwhile another change may have been shown, and a prompt been sent here.
    const shown = transcript.ids;
    const now = conversation.tree.path().map(({ id }) => id);
    const first = firstDifference(shown, now, changed);
    this.#cutFrom(shown[first] ?? "");
    await transcript.extend(now.slice(first), (id) => this.#show(id));
    this.scroll.follow();
  }

  /**
   * @param {string} prompt
   * @param {string | null} parent
   */
  #ask(prompt, parent) {
    const message = this.conversation.add("user", prompt, parent);
    this.transcript.append(this.#show(message.id).article);
    this.#answer(message.id);
  }

  /** @param {string | null} parent */
  #answer(parent) {
    const message = this.conversation.add("assistant", "", parent);
    this.answering.begin(this.conversation, this.#begun(message));
  }

  /** An answer that is going to be written, at the transcript's end. @param {StoredMessage} message */
  #begun(message) {
    const view = new AnswerMessage(message, () => view.article.isConnected && this.scroll.follow());
    view.offer([], this.conversation.tree.branches(message));
    this.transcript.append(view.article);
    this.scroll.stick();
    return view;
  }

  /** @param {string} id @returns {Shown} */
  #show(id) {
    const live = this.answering.view(id);
    if (live) return { article: live.article, *fill() {} };
    const message = /** @type {StoredMessage} */ (this.conversation.tree.get(id));
    if (message.role === "user") return new PromptMessage(message, this.conversation.tree.branches(message));
    const view = new AnswerMessage(message, () => undefined);
    this.answering.offer(view, this.conversation);
    return { article: view.article, fill: () => view.restore() };
  }

  /** Shows the messages from this one on. @param {string} id */
  #extendFrom(id) {
    const path = this.conversation.tree.path().map((each) => each.id);
    void this.transcript.extend(path.slice(path.indexOf(id)), (each) => this.#show(each));
    this.onChange();
  }

  /** @param {string} id  of a message that is shown */
  #cutFrom(id) {
    const article = this.transcript.find(id);
    if (article) this.transcript.cutFrom(article);
  }
}

/**
 * @param {string[]} shown
 * @param {string[]} now
 * @param {Set<string>} changed  what is not the same though its id is
 */
function firstDifference(shown, now, changed) {
  const at = shown.findIndex((id, i) => id !== now[i] || changed.has(id));
  return at < 0 ? shown.length : at;
}
