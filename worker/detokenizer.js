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

/**
 * The vocabulary as bytes: what every token adds to the text. One buffer holds
 * them all: as 49,152 small ones they made every garbage collection dearer, and
 * a decode step allocates enough for one every few tokens.
 */
export class Vocabulary {
  #bytes;
  /** Where each id's bytes begin; those of the next id end them. */
  #starts;
  /** The longest token, bytes: a text of n bytes has at least n ÷ this many tokens. */
  longestBytes = 1;
  /** Texts that are one token wherever they stand. @type {string[]} */
  controls;

  /** @param {TokenizerJson} json */
  constructor(json) {
    if (json.decoder?.type !== "ByteLevel") {
      throw new EngineError(
        "tokenizer_unsupported",
        `the model's tokenizer decodes by ${json.decoder?.type ?? "nothing"}, not by bytes`,
        "Choose a model with a byte-level BPE tokenizer.",
      );
    }
    this.controls = json.added_tokens.map(({ content }) => content).filter((content) => content.length > 1);
    const tokens = tokenBytes(json);
    this.#starts = new Uint32Array(tokens.length + 1);
    this.#bytes = new Uint8Array(tokens.reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0));
    for (let id = 0; id < tokens.length; id++) {
      const bytes = tokens[id] ?? [];
      this.#bytes.set(bytes, this.#starts[id]);
      this.#starts[id + 1] = /** @type {number} */ (this.#starts[id]) + bytes.length;
      this.longestBytes = Math.max(this.longestBytes, bytes.length);
    }
  }

  /**
   * @param {number} id
   * @returns {Uint8Array}  empty for special tokens and for ids the vocabulary lacks
   */
  bytes(id) {
    return this.#bytes.subarray(this.#starts[id] ?? 0, this.#starts[id + 1] ?? this.#starts[id] ?? 0);
  }
}

/**
 * @param {TokenizerJson} json
 * @returns {(ArrayLike<number> | undefined)[]}  by id, with holes
 */
function tokenBytes(json) {
  const table = byteOfCharacter();
  const encoder = new TextEncoder();
  /** @type {(ArrayLike<number> | undefined)[]} */
  const tokens = [];
  for (const [token, id] of Object.entries(json.model.vocab)) {
    tokens[id] = Array.from(token, (character) => table.get(character) ?? 0x20);
  }
  for (const { id, content, special } of json.added_tokens) {
    tokens[id] = special ? [] : encoder.encode(content);
  }
  return tokens;
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
