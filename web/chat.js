/** @file The chat: what happens between Send and the end of an answer. */

import { Conversation } from "./conversation.js";
import { mark } from "./marks.js";
import { AnswerMessage, userMessage } from "./message.js";
import { MOST_QUEUED } from "./client.js";
import { answerOf } from "./thinking.js";
import { say } from "./words.js";

/** @import { AnswerEnd, AnswerListener, Client } from "./client.js" */
/** @import { Turn } from "./conversation.js" */
/** @import { Scroll } from "./scroll.js" */
/** @import { Sampling } from "../worker/protocol.js" */

/** @type {Sampling} */
const SAMPLING = { maxTokens: null, temperature: 0, topP: 1, seed: null };

export class Chat {
  #conversation = new Conversation();

  /**
   * @param {Client<any>} client
   * @param {HTMLElement} transcript
   * @param {Scroll} scroll
   * @param {() => void} onChange  whether an answer is being made may have changed
   */
  constructor(client, transcript, scroll, onChange) {
    this.client = client;
    this.transcript = transcript;
    this.scroll = scroll;
    this.onChange = onChange;
  }

  /** Whether another prompt may be sent now. */
  get hasRoom() {
    return this.client.queueLength < MOST_QUEUED;
  }

  /** @param {string} prompt */
  send(prompt) {
    mark("send");
    this.transcript.append(userMessage(prompt));
    this.#answer(this.#conversation.add(prompt));
  }

  stop() {
    mark("stop");
    this.client.stop();
  }

  /** Ends what is being made and forgets everything said. */
  clear() {
    if (this.client.busy) this.client.stop();
    this.client.forget();
    this.#conversation.clear();
    this.transcript.replaceChildren();
  }

  /** @param {Turn} turn */
  #answer(turn) {
    /** @type {AnswerMessage} */
    const message = new AnswerMessage(
      () => this.scroll.follow(),
      () => this.#retry(turn, message),
      () => answerOf(turn.answer),
    );
    this.transcript.append(message.article);
    this.scroll.stick();
    // The messages are read when the answer begins, with those that were queued before it.
    this.client.ask(() => this.#conversation.messages(turn), SAMPLING, this.#listener(turn, message));
    this.onChange();
  }

  /**
   * @param {Turn} turn
   * @param {AnswerMessage} message  which failed; what it has of the answer stays to be read
   * @returns {boolean}  false: the queue is full
   */
  #retry(turn, message) {
    if (!this.hasRoom) return false;
    if (turn.answer === "") message.article.remove();
    this.#conversation.again(turn);
    this.#answer(turn);
    return true;
  }

  /**
   * @param {Turn} turn
   * @param {AnswerMessage} message
   * @returns {AnswerListener}
   */
  #listener(turn, message) {
    let isFirst = true;
    return {
      queued: (position, waitMs) => message.state("queued", queued(position, waitMs)),
      loading: () => message.state("loading", say("Waiting for the model…")),
      prefill: (done, total) => {
        if (done === 0) mark("prefill-start");
        message.state("prefill", say("Reading the prompt: {done} of {total} tokens", { done, total }));
      },
      text: (text, tokens, painted) => {
        if (isFirst) {
          mark("first-token");
          message.state("streaming", "");
        }
        const marked = isFirst ? () => (mark("first-paint"), painted()) : painted;
        isFirst = false;
        turn.answer += text;
        message.append(text, tokens, marked);
      },
      ended: (end) => this.#ended(turn, message, end),
    };
  }

  /**
   * @param {Turn} turn
   * @param {AnswerMessage} message
   * @param {AnswerEnd} end
   */
  #ended(turn, message, { state, text, tokens, figures, failure }) {
    turn.answer += text;
    message.append(text, tokens, () => mark("last-paint"));
    if (failure) message.fail(failure);
    else message.end(state === "stopped" ? "stopped" : "done", figures);
    if (state === "stopped") mark("stopped");
    this.scroll.follow();
    this.onChange();
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
