/** @file From token ids to text, a token at a time. */

import { EngineError } from "./errors.js";

/**
 * @typedef {object} TokenizerJson  the parts of Hugging Face's tokenizer.json that are read here
 * @property {{ vocab: Record<string, number> }} model
 * @property {{ type: string } | null} decoder
 * @property {{ id: number, content: string, special: boolean }[]} added_tokens
 */

/**
 * Byte-level BPE writes each byte as one printable character: GPT-2's table,
 * `bytes_to_unicode` in its encoder.py. Bytes that print stand for themselves;
 * the others follow from U+0100 on, in order.
 * @returns {Map<string, number>}
 */
function byteOfCharacter() {
  const prints = (/** @type {number} */ byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
  /** @type {Map<string, number>} */
  const bytes = new Map();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) bytes.set(String.fromCharCode(prints(byte) ? byte : next++), byte);
  return bytes;
}

/** The vocabulary as bytes: what every token adds to the text. */
export class Vocabulary {
  /** @type {Uint8Array[]} */
  #bytes = [];
  /** The longest token, bytes: a text of n bytes has at least n ÷ this many tokens. */
  longestBytes = 1;

  /** @param {TokenizerJson} json */
  constructor(json) {
    if (json.decoder?.type !== "ByteLevel") {
      throw new EngineError(
        "tokenizer_unsupported",
        `the model's tokenizer decodes by ${json.decoder?.type ?? "nothing"}, not by bytes`,
        "Choose a model with a byte-level BPE tokenizer.",
      );
    }
    const table = byteOfCharacter();
    for (const [token, id] of Object.entries(json.model.vocab)) {
      this.#bytes[id] = Uint8Array.from(token, (character) => table.get(character) ?? 0x20);
      this.longestBytes = Math.max(this.longestBytes, token.length);
    }
    const encoder = new TextEncoder();
    for (const { id, content, special } of json.added_tokens) {
      this.#bytes[id] = special ? new Uint8Array() : encoder.encode(content);
    }
  }

  /**
   * @param {number} id
   * @returns {Uint8Array}  empty for special tokens and for ids the vocabulary lacks
   */
  bytes(id) {
    return this.#bytes[id] ?? new Uint8Array();
  }
}

/**
 * The text of one answer. Costs the bytes of the new token and no more: a
 * decode of the line so far, as streamers commonly do, grows with the line.
 * Characters that span tokens appear when their last byte does.
 */
export class Detokenizer {
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  /** @param {Vocabulary} vocabulary */
  constructor(vocabulary) {
    this.vocabulary = vocabulary;
  }

  /**
   * @param {number} id
   * @returns {string}  may be empty
   */
  push(id) {
    return this.#decoder.decode(this.vocabulary.bytes(id), { stream: true });
  }

  /** @returns {string} U+FFFD for a character that never became whole, else nothing */
  end() {
    return this.#decoder.decode();
  }
}
