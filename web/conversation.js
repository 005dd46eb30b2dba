/** @file The turns of the conversation, as the model is shown them. */

/** @import { ChatMessage } from "../worker/protocol.js" */

/** @typedef {{ prompt: string, answer: string }} Turn */

export class Conversation {
  /** @type {Turn[]} */
  #turns = [];

  /**
   * @param {string} prompt
   * @returns {Turn}  its answer is filled in as it comes
   */
  add(prompt) {
    const turn = { prompt, answer: "" };
    this.#turns.push(turn);
    return turn;
  }

  /** Makes `turn` the last: what is answered anew is asked last. @param {Turn} turn */
  again(turn) {
    turn.answer = "";
    this.#turns = [...this.#turns.filter((other) => other !== turn), turn];
  }

  clear() {
    this.#turns = [];
  }

  /**
   * What the model reads to answer `turn`: the answered turns before it, and its prompt.
   * @param {Turn} turn
   * @returns {ChatMessage[]}
   */
  messages(turn) {
    /** @type {ChatMessage[]} */
    const messages = [];
    for (const { prompt, answer } of this.#turns.slice(0, this.#turns.indexOf(turn))) {
      if (answer) messages.push({ role: "user", content: prompt }, { role: "assistant", content: answer });
    }
    return [...messages, { role: "user", content: turn.prompt }];
  }
}
