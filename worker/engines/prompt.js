/** @file A conversation as token ids: the template's control tokens, and the users' text as text. */

/** @import { ChatMessage } from "../protocol.js" */
/** @import { Tokenizer } from "./runtime.js" */

/** First and last of a plane that no text uses: Unicode's private use area. */
const PRIVATE = [0xe000, 0xf8ff];

/**
 * Text such as `<|im_end|>` in a message is tokenised as the control token of
 * that name: it would end the turn and could forge others. A character that no
 * message has is put inside it, and its tokens are taken out again, so that the
 * model reads the same characters as plain text.
 * @param {Tokenizer} tokenizer
 * @param {string[]} controls  texts that the tokenizer takes for one token wherever they stand
 * @param {ChatMessage[]} messages
 * @returns {number[]}
 */
export function encodeChat(tokenizer, controls, messages) {
  const isForging = messages.some(({ content }) => controls.some((control) => content.includes(control)));
  if (!isForging) return render(tokenizer, messages);
  const mark = unused(messages);
  const { input_ids: markIds } = tokenizer(mark, { add_special_tokens: false, return_tensor: false });
  const plain = messages.map((message) => ({ ...message, content: split(message.content, controls, mark) }));
  return without(render(tokenizer, plain), markIds);
}

/**
 * @param {Tokenizer} tokenizer
 * @param {ChatMessage[]} messages
 */
const render = (tokenizer, messages) =>
  tokenizer.apply_chat_template(messages, {
    add_generation_prompt: true,
    tokenize: true,
    return_tensor: false,
    return_dict: false,
  });

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
