/** @file The last answer as the ids it was made of: another tokenisation of its text may differ where it was cut. */

import { Detokenizer } from "../detokenizer.js";

/** @import { Vocabulary } from "../detokenizer.js" */
/** @import { ChatMessage } from "../protocol.js" */

export class Said {
  /** Holds the bytes of a character that is not whole yet. */
  #detokenizer;

  /**
   * @param {Vocabulary} vocabulary
   * @param {ChatMessage[]} asked  what it answers
   * @param {string} text          what of the answer is known already
   * @param {number[]} ids         of the prompt, with that text; the answer's are appended
   */
  constructor(vocabulary, asked, text, ids) {
    this.#detokenizer = new Detokenizer(vocabulary);
    this.asked = asked;
    this.text = text;
    this.ids = ids;
  }

  /**
   * @param {number} id
   * @returns {string}  may be empty
   */
  push(id) {
    this.ids.push(id);
    return this.#said(this.#detokenizer.push(id));
  }

  /** The model ended it. @returns {string}  U+FFFD for a character that never became whole, else nothing */
  end() {
    return this.#said(this.#detokenizer.end());
  }

  /**
   * @param {ChatMessage[]} asked
   * @param {string} text
   */
  isAnswerTo(asked, text) {
    return (
      text === this.text &&
      asked.length === this.asked.length &&
      asked.every(({ role, content }, i) => role === this.asked[i]?.role && content === this.asked[i]?.content)
    );
  }

  /** @param {string} text */
  #said(text) {
    this.text += text;
    return text;
  }
}
