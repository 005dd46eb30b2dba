/** @file The chat: what happens between Send and the end of an answer, on the page and in the store. */

import { MOST_QUEUED } from "./client.js";
import { mark } from "./marks.js";
import { answerOf } from "./thinking.js";
import { AnswerMessage, PromptMessage } from "./transcript/message.js";
import { inSlices } from "./transcript/slices.js";
import { say } from "./words.js";

/** @import { Sampling } from "../worker/protocol.js" */
/** @import { Announcer } from "./announcer.js" */
/** @import { AnswerEnd, AnswerListener, Client } from "./client.js" */
/** @import { Conversation } from "./conversations/conversation.js" */
/** @import { StoredMessage } from "./keeping/types.js" */
/** @import { Scroll } from "./scroll.js" */
/** @import { Act } from "./transcript/actions.js" */
/** @import { Shown, Transcript } from "./transcript/transcript.js" */

/**
 * An answer that is being made or waits; it goes on when another conversation is looked at.
 * @typedef {{ conversation: Conversation, view: AnswerMessage, listener: AnswerListener }} Live
 *
 * @typedef {object} ChatParts
 * @property {Client<any>} client
 * @property {Transcript} transcript
 * @property {Scroll} scroll
 * @property {Announcer} announcer
 * @property {() => { system: string, sampling: Sampling }} preferences  read when an answer's turn comes
 * @property {() => void} onChange  what may be done, or what is listed, may have changed
 */

export class Chat {
  /** By their messages' ids. @type {Map<string, Live>} */
  #live = new Map();

  /**
   * @param {ChatParts} parts
   * @param {Conversation} conversation  an empty one
   */
  constructor(parts, conversation) {
    this.client = parts.client;
    this.transcript = parts.transcript;
    this.scroll = parts.scroll;
    this.announcer = parts.announcer;
    this.preferences = parts.preferences;
    this.onChange = parts.onChange;
    this.conversation = conversation;
  }

  /** Whether another prompt may be sent now. */
  get hasRoom() {
    return this.client.queueLength < MOST_QUEUED;
  }

  /** @param {string} id  of a message @returns {boolean}  whether it is being made or waits, in this page */
  isLive(id) {
    return this.#live.has(id);
  }

  /** Tokens of the conversation so far, as far as the last answer tells. */
  get tokens() {
    const figures = this.conversation.tree.path().findLast((message) => message.figures)?.figures;
    return figures ? figures.promptTokens + figures.tokens : 0;
  }

  /** The conversation whose answer is being made. */
  get busyWith() {
    for (const { conversation } of this.#live.values()) return conversation;
    return null;
  }

  /** The object that knows all of a conversation: it is open, or being answered. @param {string} id */
  known(id) {
    return this.conversation.id === id ? this.conversation : this.#liveIn(id)[0]?.conversation;
  }

  /** Shows a conversation. What is being made goes on. @param {Conversation} conversation */
  async open(conversation) {
    // What is written into is the one object that knows all of it.
    this.conversation = this.#liveIn(conversation.id)[0]?.conversation ?? conversation;
    this.scroll.stick();
    const ids = this.conversation.tree.path().map(({ id }) => id);
    await this.transcript.show(ids, (id) => this.#show(id));
    this.scroll.follow();
  }

  /** @param {string} prompt */
  send(prompt) {
    mark("send");
    const parent = this.conversation.tree.leaf?.id ?? null;
    this.#ask(prompt, parent);
  }

  stop() {
    mark("stop");
    this.client.stop();
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
    const view = this.#view(conversation, message);
    view.state("loading", say("Waiting for the model…"));
    this.transcript.append(view.article);
    this.scroll.stick();
    const listener = this.#enlist(conversation, view);
    await inSlices(view.fill(), new AbortController().signal);
    this.#request(conversation, view, listener, true);
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
    for (const each of removed) this.cancel(each.id);
    const { ids } = tree.branches(message);
    const [next] = tree.path().filter((each) => ids.includes(each.id));
    if (next) this.#extendFrom(next.id);
    this.onChange();
    return removed;
  }

  /** Ends an answer that waits or is being made; the others go on. @param {string} id */
  cancel(id) {
    const live = this.#live.get(id);
    if (live) this.client.cancel(live.listener);
  }

  /** Brings the page up to what another tab has changed: what stands before it stays, and where a person reads. */
  async refresh() {
    const { conversation, transcript } = this;
    const changed = await conversation.reload((id) => this.isLive(id));
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
    const view = this.#view(this.conversation, message);
    this.transcript.append(view.article);
    this.scroll.stick();
    this.#begin(this.conversation, view, false);
  }

  /**
   * @param {Conversation} conversation
   * @param {StoredMessage} message
   */
  #view(conversation, message) {
    const view = new AnswerMessage(message, () => view.article.isConnected && this.scroll.follow());
    view.offer([], conversation.tree.branches(message));
    return view;
  }

  /**
   * @param {Conversation} conversation
   * @param {AnswerMessage} view
   * @param {boolean} continues
   */
  #begin(conversation, view, continues) {
    this.#request(conversation, view, this.#enlist(conversation, view), continues);
  }

  /**
   * From now on the answer is this page's to write.
   * @param {Conversation} conversation
   * @param {AnswerMessage} view
   */
  #enlist(conversation, view) {
    const listener = this.#listener(conversation, view);
    this.#live.set(view.message.id, { conversation, view, listener });
    return listener;
  }

  /**
   * @param {Conversation} conversation
   * @param {AnswerMessage} view
   * @param {AnswerListener} listener
   * @param {boolean} continues
   */
  #request(conversation, view, listener, continues) {
    const { message } = view;
    // The messages are read when the answer begins, with those that were queued before it.
    const messages = () => conversation.messagesFor(message, this.preferences().system);
    this.client.ask(messages, this.preferences().sampling, listener, { continues });
    this.onChange();
  }

  /**
   * @param {Conversation} conversation
   * @param {AnswerMessage} view
   * @returns {AnswerListener}
   */
  #listener(conversation, view) {
    const { message } = view;
    let isFirst = true;
    return {
      queued: (position, waitMs) => {
        view.state("queued", queued(position, waitMs));
        this.#offer(view, conversation);
      },
      loading: () => {
        view.state("loading", say("Waiting for the model…"));
        this.#offer(view, conversation);
      },
      prefill: (done, total) => {
        if (done === 0) mark("prefill-start");
        view.state("prefill", say("Reading the prompt: {done} of {total} tokens", { done, total }));
      },
      text: (text, tokens, painted) => {
        if (isFirst) {
          mark("first-token");
          view.state("streaming", "");
          this.announcer.begin();
        }
        const marked = isFirst ? () => (mark("first-paint"), painted()) : painted;
        isFirst = false;
        message.text += text;
        conversation.append(message, text);
        this.announcer.write(text);
        view.append(text, tokens, marked);
      },
      ended: (end) => this.#ended(conversation, view, end),
    };
  }

  /**
   * @param {Conversation} conversation
   * @param {AnswerMessage} view
   * @param {AnswerEnd} end
   */
  #ended(conversation, view, { state, text, tokens, figures, failure }) {
    const { message } = view;
    message.text += text;
    message.state = state;
    message.figures = figures;
    conversation.put(message);
    view.append(text, tokens, () => mark("last-paint"));
    if (failure) view.fail(failure);
    else view.end(state === "stopped" ? "stopped" : "done", figures);
    if (state === "stopped") mark("stopped");
    this.announcer.write(text);
    this.announcer.end(state);
    this.#live.delete(message.id);
    this.#offer(view, conversation);
    if (view.article.isConnected) this.scroll.follow();
    this.onChange();
  }

  /** @param {string} id @returns {Shown} */
  #show(id) {
    const live = this.#live.get(id)?.view;
    if (live) return { article: live.article, *fill() {} };
    const message = /** @type {StoredMessage} */ (this.conversation.tree.get(id));
    if (message.role === "user") return new PromptMessage(message, this.conversation.tree.branches(message));
    const view = new AnswerMessage(message, () => undefined);
    this.#offer(view, this.conversation);
    return { article: view.article, fill: () => view.restore() };
  }

  /**
   * What can be done with an answer now.
   * @param {AnswerMessage} view
   * @param {Conversation} conversation
   */
  #offer(view, conversation) {
    view.offer(this.#actsOf(view), conversation.tree.branches(view.message));
  }

  /** @param {AnswerMessage} view @returns {Act[]} */
  #actsOf({ message, article }) {
    if (this.isLive(message.id)) return article.dataset["state"] === "queued" ? ["cancel"] : [];
    if (message.state === "streaming") return []; // in another tab
    /** @type {Act[]} */
    const acts = [message.state === "failed" ? "retry" : "again"];
    const isCut = message.state !== "done" || message.figures?.reason === "length";
    if (isCut && message.text) acts.unshift("continue");
    if (answerOf(message.text)) acts.push("copy");
    return [...acts, "delete"];
  }

  /** Shows the messages from this one on. @param {string} id */
  #extendFrom(id) {
    const path = this.conversation.tree.path().map((each) => each.id);
    void this.transcript.extend(path.slice(path.indexOf(id)), (each) => this.#show(each));
    this.onChange();
  }

  /** Ends what is made for a conversation, or waits. @param {string} conversation  its id */
  end(conversation) {
    for (const { view } of this.#liveIn(conversation)) this.cancel(view.message.id);
  }

  /** @param {string} conversation  its id */
  #liveIn(conversation) {
    return [...this.#live.values()].filter((live) => live.conversation.id === conversation);
  }

  /** @param {string} id  of a message that is shown */
  #cutFrom(id) {
    const article = this.transcript.find(id);
    if (article) this.transcript.cutFrom(article);
  }
}

/**
 * @param {number} position
 * @param {number | null} waitMs
 */
function queued(position, waitMs) {
  const wait = waitMs === null ? "" : say(", about {seconds} s", { seconds: Math.max(1, Math.round(waitMs / 1000)) });
  const place = position === 1 ? say("Next in the queue") : say("{count} before it in the queue", { count: position - 1 });
  return place + wait;
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
