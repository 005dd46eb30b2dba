/** @file The answers that this tab is writing. */

import { answerLock } from "./types.js";

/** @import { StoredMessage } from "./types.js" */

/** @typedef {{ conversation: string, length: number, release: () => void }} OpenAnswer */

export class Answers {
  /** By message. @type {Map<string, OpenAnswer>} */
  #answers = new Map();

  /** @param {StoredMessage} message  which is being written, and has this text so far */
  begin({ id, conversation, text }) {
    const release = this.#answers.get(id)?.release ?? hold(id);
    this.#answers.set(id, { conversation, length: text.length, release });
  }

  /**
   * @param {string} id
   * @param {string} text
   * @returns {{ conversation: string, start: number } | null}  where the text goes; null: the answer has ended
   */
  append(id, text) {
    const answer = this.#answers.get(id);
    if (!answer) return null;
    const start = answer.length;
    answer.length += text.length;
    return { conversation: answer.conversation, start };
  }

  /**
   * @param {(id: string, answer: OpenAnswer) => boolean} isEnded
   * @returns {(() => void)[]}  to be called when other tabs can read how they ended
   */
  end(isEnded) {
    const ended = [...this.#answers].filter(([id, answer]) => isEnded(id, answer));
    for (const [id] of ended) this.#answers.delete(id);
    return ended.map(([, { release }]) => release);
  }
}

/**
 * Tells other tabs that the answer is being written here; a tab that is gone holds nothing.
 * @param {string} id
 * @returns {() => void}  releases it
 */
function hold(id) {
  const { promise, resolve } = Promise.withResolvers();
  navigator.locks.request(answerLock(id), () => promise).catch(() => undefined);
  return () => resolve(undefined);
}
