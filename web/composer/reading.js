/** @file The text of a file, or why it is none. */

/** @import { Failure } from "../../worker/protocol.js" */
/** @import { NamedFailure } from "../words.js" */

/** A file that was given; a folder comes as one, too. @typedef {{ file: File, isFolder: boolean }} Given */

const FOLDER = { code: "file_folder", message: "it is a folder", hint: "Choose the files in it." };
const LARGE = { code: "file_large", message: "it is too large (1 MB is the most at once)", hint: "Attach a part of it." };
const UNREADABLE = { code: "file_unreadable", message: "it cannot be read", hint: "Look whether it is still there." };
const BINARY = { code: "file_binary", message: "it is no text in UTF-8 or UTF-16", hint: "If it is text, save it as UTF-8." };
const EMPTY = { code: "file_empty", message: "it is empty", hint: "" };

/**
 * @param {Given} given
 * @param {number} mostBytes
 * @returns {Promise<string | NamedFailure>}
 */
export async function readText({ file, isFolder }, mostBytes) {
  if (isFolder) return refused(file, FOLDER);
  if (file.size > mostBytes) return refused(file, LARGE);
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null) return refused(file, UNREADABLE);
  const text = decode(new Uint8Array(bytes));
  if (text === null) return refused(file, BINARY);
  return text === "" ? refused(file, EMPTY) : text;
}

/**
 * UTF-8, or UTF-16 that says so by its byte order mark; the mark itself is no part of the text.
 * @param {Uint8Array} bytes
 * @returns {string | null}  null: not text
 */
export function decode(bytes) {
  const text = strictly(encodingOf(bytes), bytes);
  return text === null || text.includes("\0") ? null : text.replace(/\r\n?/g, "\n");
}

/** @param {Uint8Array} bytes */
function encodingOf([first, second]) {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/**
 * @param {string} encoding
 * @param {Uint8Array} bytes
 */
function strictly(encoding, bytes) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null; // the only way that it tells
  }
}

/**
 * @param {File} file
 * @param {Failure} failure
 * @returns {NamedFailure}
 */
const refused = ({ name }, { code, message, hint }) => ({ code, message: `“${name}” was left out: ${message}`, hint, values: { name } });
