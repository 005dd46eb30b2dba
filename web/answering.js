/** @file The answers that are being made or wait, in whichever conversation: from the request to the end. */

import { MOST_QUEUED } from "./client.js";
import { mark } from "./marks.js";
import { answerOf } from "./thinking.js";
import { inSlices } from "./transcript/slices.js";
import { say } from "./words.js";

/** @import { Sampling } from "../worker/protocol.js" */
/** @import { Announcer } from "./announcer.js" */
/** @import { AnswerEnd, AnswerListener, Client } from "./client.js" */
/** @import { Conversation } from "./conversations/conversation.js" */
/** @import { StoredMessage } from "./keeping/types.js" */
/** @import { Act } from "./transcript/actions.js" */
/** @import { AnswerMessage } from "./transcript/message.js" */

/**
 * One answer; it goes on when another conversation is looked at.
 * @typedef {{ conversation: Conversation, view: AnswerMessage, listener: AnswerListener }} Live
 *
 * @typedef {object} AnsweringParts
 * @property {Client<any>} client
 * @property {Announcer} announcer
 * @property {() => { system: string, sampling: Sampling }} preferences  read when an answer's turn comes
 * @property {() => void} onChange  what may be done, or what is listed, may have changed
 */

export class Answering {
  /** By their messages' ids. @type {Map<string, Live>} */
  #live = new Map();

  /** @param {AnsweringParts} parts */
  constructor(parts) {
    this.client = parts.client;
    this.announcer = parts.announcer;
    this.preferences = parts.preferences;
    this.onChange = parts.onChange;
  }

  /** Whether another prompt may be sent now. */
  get hasRoom() {
    return this.client.queueLength < MOST_QUEUED;
  }

  /** The conversation whose answer is being made. */
  get busyWith() {
    for (const { conversation } of this.#live.values()) return conversation;
    return null;
  }

  /** @param {string} id  of a message @returns {AnswerMessage | undefined}  undefined: this page is not writing it */
  view(id) {
    return this.#live.get(id)?.view;
  }

  /** The object that knows all of a conversation that is being answered. @param {string} id */
  conversation(id) {
    return this.#in(id)[0]?.conversation;
  }

  /**
   * Asks for an answer. From now on it is this page's to write.
   * @param {Conversation} conversation
   * @param {AnswerMessage} view
   */
  begin(conversation, view) {
    this.#request(this.#enlist(conversation, view), false);
  }

  /**
   * Asks to go on with what the answer says already, once that is shown.
   * @param {Conversation} conversation
   * @param {AnswerMessage} view
   */
  async resume(conversation, view) {
    const live = this.#enlist(conversation, view);
    view.state("loading", say("Waiting for the model…"));
    await inSlices(view.fill(), new AbortController().signal);
    this.#request(live, true);
  }

  /** Ends an answer that waits or is being made; the others go on. @param {string} id */
  cancel(id) {
    const live = this.#live.get(id);
    if (live) this.client.cancel(live.listener);
  }

  /** Ends what is made for a conversation, or waits. @param {string} conversation  its id */
  end(conversation) {
    for (const { view } of this.#in(conversation)) this.cancel(view.message.id);
  }

  /** Stops the answer that is being made, and those that wait. */
  stop() {
    mark("stop");
    this.client.stop();
  }

  /**
   * Shows what can be done with an answer now.
   * @param {AnswerMessage} view
   * @param {Conversation} conversation
   */
  offer(view, conversation) {
    const acts = this.view(view.message.id) ? whileMade(view) : onceMade(view.message);
    view.offer(acts, conversation.tree.branches(view.message));
  }

  /** @param {string} conversation  its id */
  #in(conversation) {
    return [...this.#live.values()].filter((live) => live.conversation.id === conversation);
  }

  /**
   * @param {Conversation} conversation
   * @param {AnswerMessage} view
   */
  #enlist(conversation, view) {
    const live = { conversation, view, listener: this.#listener(conversation, view) };
    this.#live.set(view.message.id, live);
    return live;
  }

  /**
   * @param {Live} live
   * @param {boolean} continues
   */
  #request({ conversation, view, listener }, continues) {
    // The messages are read when the answer begins, with those that were queued before it.
    const messages = () => conversation.messagesFor(view.message, this.preferences().system);
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
        this.offer(view, conversation);
      },
      loading: () => {
        view.state("loading", say("Waiting for the model…"));
        this.offer(view, conversation);
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
    this.offer(view, conversation);
    view.onCommit();
    this.onChange();
  }
}

/** @param {AnswerMessage} view @returns {Act[]} */
const whileMade = ({ article }) => (article.dataset["state"] === "queued" ? ["cancel"] : []);

/** @param {StoredMessage} message @returns {Act[]} */
function onceMade({ state, figures, text }) {
  if (state === "streaming") return []; // in another tab
  /** @type {Act[]} */
  const acts = [state === "failed" ? "retry" : "again"];
  const isCut = state !== "done" || figures?.reason === "length";
  if (isCut && text) acts.unshift("continue");
  if (answerOf(text)) acts.push("copy");
  return [...acts, "delete"];
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
