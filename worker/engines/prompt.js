/** @file A conversation as token ids: the template's control tokens, and the users' text as text. */

import { EngineError } from "../errors.js";

/** @import { ChatMessage } from "../protocol.js" */
/** @import { Tokenizer } from "./runtime.js" */

/** First and last of a plane that no text uses: Unicode's private use area. */
const PRIVATE = [0xe000, 0xf8ff];

/**
 * @param {Tokenizer} tokenizer
 * @param {string[]} controls  texts that the tokenizer takes for one token wherever they stand
 * @param {ChatMessage[]} messages
 * @param {boolean} continues  the last message is the assistant's and goes on; else an answer begins
 * @returns {number[]}
 */
export function encodeChat(tokenizer, controls, messages, continues) {
  const render = continues ? unfinished : asked;
  return encodePlain(tokenizer, controls, messages, (plain, mark) => render(tokenizer, plain, mark));
}

/**
 * @param {Tokenizer} tokenizer
 * @param {string[]} controls
 * @param {string} text  as a user's, without a template
 * @returns {number[]}
 */
export function encodeText(tokenizer, controls, text) {
  return encodePlain(tokenizer, controls, [{ role: "user", content: text }], ([message]) => message?.content ?? "");
}

/**
 * Text such as `<|im_end|>` in a message is tokenised as the control token of
 * that name: it would end the turn and could forge others. A character that no
 * message has is put inside it, and its tokens are taken out again, so that the
 * model reads the same characters as plain text.
 * @param {Tokenizer} tokenizer
 * @param {string[]} controls
 * @param {ChatMessage[]} messages
 * @param {(messages: ChatMessage[], mark: string) => string} render  `mark` is a character that no message has
 * @returns {number[]}
 */
function encodePlain(tokenizer, controls, messages, render) {
  const mark = unused(messages);
  const isForging = messages.some(({ content }) => controls.some((control) => content.includes(control)));
  if (!isForging) return encode(tokenizer, render(messages, mark));
  const plain = messages.map((message) => ({ ...message, content: split(message.content, controls, mark) }));
  return without(encode(tokenizer, render(plain, mark)), encode(tokenizer, mark));
}

/**
 * @param {Tokenizer} tokenizer
 * @param {ChatMessage[]} messages
 */
const asked = (tokenizer, messages) =>
  tokenizer.apply_chat_template(messages, { add_generation_prompt: true, tokenize: false });

/**
 * Up to the last message's end and without what the template puts after it, as
 * `continue_final_message` of Hugging Face's transformers; transformers.js has
 * no such option.
 * @param {Tokenizer} tokenizer
 * @param {ChatMessage[]} messages
 * @param {string} mark
 */
function unfinished(tokenizer, messages, mark) {
  const marked = messages.map((message, i) =>
    i === messages.length - 1 ? { ...message, content: message.content + mark } : message,
  );
  const text = tokenizer.apply_chat_template(marked, { add_generation_prompt: false, tokenize: false });
  const end = text.lastIndexOf(mark);
  if (end < 0) throw new EngineError("not_continuable", "this model's template leaves the answer out", "Ask again.");
  return text.slice(0, end);
}

/**
 * @param {Tokenizer} tokenizer
 * @param {string} text
 * @returns {number[]}
 */
const encode = (tokenizer, text) => tokenizer(text, { add_special_tokens: false, return_tensor: false }).input_ids;

/**
 * @param {string} text
 * @param {string[]} controls
 * @param {string} mark
 */
function split(text, controls, mark) {
  for (const control of controls) text = text.replaceAll(control, `${control.slice(0, 1)}${mark}${control.slice(1)}`);
  return text;
}

/** @param {ChatMessage[]} messages */
function unused(messages) {
  const [first = 0, last = 0] = PRIVATE;
  for (let code = first; code <= last; code++) {
    const mark = String.fromCharCode(code);
    if (!messages.some(({ content }) => content.includes(mark))) return mark;
  }
  throw new RangeError("the conversation uses every private character there is");
}

/**
 * @param {number[]} ids
 * @param {number[]} run
 * @returns {number[]}  `ids` less every occurrence of `run`
 */
function without(ids, run) {
  const kept = [];
  for (let i = 0; i < ids.length; ) {
    if (run.every((id, k) => ids[i + k] === id)) i += run.length;
    else kept.push(/** @type {number} */ (ids[i++]));
  }
  return kept;
}
