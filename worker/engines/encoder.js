/** @file From text to token ids, as far as the context window can hold them. */

import { EngineError } from "../errors.js";
import { countTokens } from "./counting.js";
import { encodeChat, encodeText } from "./prompt.js";

/** @import { Vocabulary } from "../detokenizer.js" */
/** @import { ChatMessage, TokenCount } from "../protocol.js" */
/** @import { Tokenizer } from "./runtime.js" */

export class Encoder {
  /**
   * @param {Tokenizer} tokenizer
   * @param {Vocabulary} vocabulary
   * @param {number} contextWindow
   */
  constructor(tokenizer, vocabulary, contextWindow) {
    this.tokenizer = tokenizer;
    this.vocabulary = vocabulary;
    this.contextWindow = contextWindow;
  }

  /**
   * @param {ChatMessage[]} messages
   * @param {boolean} continues  the last message goes on; else an answer begins
   * @returns {number[]}  token ids of the prompt, by the model's template
   */
  prompt(messages, continues) {
    const length = messages.reduce((sum, { content }) => sum + content.length, 0);
    // Tokenising a megabyte takes seconds in which Stop is not heard.
    const fewest = this.#fewestTokens(length);
    if (fewest > this.contextWindow) throw this.#tooLong(`at least ${fewest.toLocaleString("en")}`);
    return this.fitting(encodeChat(this.tokenizer, this.vocabulary.controls, messages, continues));
  }

  /** @param {number[]} ids  of a prompt; returned if they leave room for an answer */
  fitting(ids) {
    if (ids.length >= this.contextWindow) throw this.#tooLong(ids.length.toLocaleString("en"));
    return ids;
  }

  /**
   * @param {string} text
   * @returns {Promise<TokenCount>}
   */
  async count(text) {
    const fewest = this.#fewestTokens(text.length);
    if (fewest > this.contextWindow) return { tokens: fewest, isAtLeast: true };
    const { controls } = this.vocabulary;
    return countTokens(text, this.contextWindow, (slice) => encodeText(this.tokenizer, controls, slice).length);
  }

  /** What so many characters have at least, whatever they are. @param {number} length  code units */
  #fewestTokens(length) {
    return Math.ceil(length / this.vocabulary.longestBytes);
  }

  /** @param {string} count */
  #tooLong(count) {
    const window = this.contextWindow.toLocaleString("en");
    return new EngineError(
      "prompt_too_long",
      `the conversation has ${count} tokens; this model's context window holds ${window}`,
      "Shorten the prompt or start a new chat.",
    );
  }
}
