/** @file Reading conversations from a file that anyone may have written. */

import { array, at, identifier, invalid, number, object, oneOf, string, time, twice, unique } from "./checks.js";
import { importTooLarge, KeepingError, reason } from "./errors.js";
import { FORMAT, MOST_BYTES, VERSION } from "./formats.js";

/** @import { Figures } from "../../worker/protocol.js" */
/** @import { Fields } from "./checks.js" */
/** @import { StoredConversation, StoredMessage } from "./types.js" */

/** @typedef {{ conversation: StoredConversation, messages: StoredMessage[] }} ReadConversation */

const LONGEST_TITLE = 1000;
const LONGEST_REASON = 40;
/** Of a title that is taken from the first message. */
const TITLE_LENGTH = 60;

/**
 * All conversations of the file, or a KeepingError that says where it is wrong. Fields that are not
 * known are left out, and all ids are new: what is read replaces nothing.
 * @param {Blob} file
 * @returns {Promise<ReadConversation[]>}
 */
export async function readFile(file) {
  if (file.size > MOST_BYTES) {
    const most = `at most ${MOST_BYTES / 1024 / 1024} MB can be read`;
    throw new KeepingError(importTooLarge(`the file has ${Math.ceil(file.size / 1024 / 1024)} MB, and ${most}`));
  }
  return readText(decoded(await file.arrayBuffer()));
}

/**
 * @param {string} text
 * @returns {ReadConversation[]}
 */
export function readText(text) {
  const value = parsed(text);
  if (Array.isArray(value)) return [plainConversation(value)];
  const file = object(value, "the file");
  if (file["format"] !== FORMAT) throw invalid(`the file holds no conversations: its "format" is not "${FORMAT}"`);
  const version = file["version"];
  if (typeof version === "number" && version > VERSION) {
    throw invalid(`the file is of version ${version}, and this Pageside reads version ${VERSION}`, "Update Pageside, then import it.");
  }
  if (version !== VERSION) throw at("version", "is not a version");
  const all = array(file["conversations"], "conversations").map(readConversation);
  unique(all.map(({ id }) => id), (i) => `conversations[${i}].id`);
  return all.map(({ read }) => read);
}

/** @param {ArrayBuffer} bytes */
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("the file is not text in UTF-8");
  }
}

/**
 * @param {string} text
 * @returns {unknown}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`the file is not whole JSON: ${reason(error).slice(0, 200)}`);
  }
}

/**
 * A conversation as other programs write it: an array of messages, each after the one before. What the
 * system said is left out.
 * @param {unknown[]} values
 * @returns {ReadConversation}
 */
function plainConversation(values) {
  const now = Date.now();
  const conversation = crypto.randomUUID();
  const said = values.map((value, i) => plainMessage(object(value, `[${i}]`), `[${i}]`)).filter(({ role }) => role !== "system");
  const ids = said.map(() => crypto.randomUUID());
  const messages = said.map(({ role, text }, i) => ({
    ...{ id: /** @type {string} */ (ids[i]), conversation, parent: ids[i - 1] ?? null },
    ...{ role: /** @type {"user" | "assistant"} */ (role), text, state: /** @type {const} */ ("done") },
    ...{ at: now + i, figures: null },
  }));
  if (messages.length === 0) throw invalid("the file holds no messages");
  const title = [...(said[0]?.text.trim().slice(0, 4 * TITLE_LENGTH).split("\n")[0] ?? "")].slice(0, TITLE_LENGTH).join("");
  return {
    conversation: { id: conversation, title, createdAt: now, changedAt: now, leaf: messages.at(-1)?.id ?? null },
    messages,
  };
}

/**
 * @param {Fields} fields
 * @param {string} path
 */
function plainMessage(fields, path) {
  return {
    role: oneOf(fields["role"], /** @type {const} */ (["user", "assistant", "system"]), `${path}.role`),
    text: string(fields["content"], `${path}.content`),
  };
}

/**
 * @param {unknown} value
 * @param {number} i
 */
function readConversation(value, i) {
  const path = `conversations[${i}]`;
  const fields = object(value, path);
  const id = identifier(fields["id"], `${path}.id`);
  const ids = newIds(array(fields["messages"], `${path}.messages`), path);
  const conversation = {
    id: crypto.randomUUID(),
    title: string(fields["title"], `${path}.title`, LONGEST_TITLE),
    createdAt: time(fields["createdAt"], `${path}.createdAt`),
    changedAt: time(fields["changedAt"], `${path}.changedAt`),
    leaf: reference(fields["leaf"], ids, `${path}.leaf`),
  };
  const messages = [...ids.values()].map(({ newId, fields, path }) => readMessage(newId, conversation.id, fields, ids, path));
  acyclic(messages, path);
  return { id, read: { conversation, messages } };
}

/** @typedef {Map<string, { newId: string, fields: Fields, path: string }>} NewIds  by the old ones, in their order */

/**
 * @param {unknown[]} values  the messages
 * @param {string} path       of their conversation
 * @returns {NewIds}
 */
function newIds(values, path) {
  /** @type {NewIds} */
  const ids = new Map();
  values.forEach((value, i) => {
    const its = `${path}.messages[${i}]`;
    const fields = object(value, its);
    const id = identifier(fields["id"], `${its}.id`);
    if (ids.has(id)) throw twice(`${its}.id`);
    ids.set(id, { newId: crypto.randomUUID(), fields, path: its });
  });
  return ids;
}

/**
 * @param {string} id
 * @param {string} conversation
 * @param {Fields} fields
 * @param {NewIds} ids
 * @param {string} path
 * @returns {StoredMessage}
 */
function readMessage(id, conversation, fields, ids, path) {
  return {
    id,
    conversation,
    parent: reference(fields["parent"], ids, `${path}.parent`),
    role: oneOf(fields["role"], /** @type {const} */ (["user", "assistant"]), `${path}.role`),
    text: string(fields["text"], `${path}.text`),
    state: oneOf(fields["state"], /** @type {const} */ (["done", "stopped", "failed"]), `${path}.state`),
    at: time(fields["at"], `${path}.at`),
    figures: figures(fields["figures"], `${path}.figures`),
  };
}

/**
 * Every message hangs below one without a parent.
 * @param {StoredMessage[]} messages
 * @param {string} path
 */
function acyclic(messages, path) {
  const parents = new Map(messages.map(({ id, parent }) => [id, parent]));
  /** @type {Set<string>} */
  const sound = new Set();
  messages.forEach(({ id }, i) => {
    /** @type {Set<string>} */
    const way = new Set();
    for (let each = /** @type {string | null} */ (id); each && !sound.has(each); each = parents.get(each) ?? null) {
      if (way.has(each)) throw at(`${path}.messages[${i}].parent`, "leads back to itself");
      way.add(each);
    }
    for (const each of way) sound.add(each);
  });
}

/**
 * @param {unknown} value  the old id of a message, or null
 * @param {NewIds} ids
 * @param {string} path
 */
function reference(value, ids, path) {
  if (value === null) return null;
  const found = ids.get(string(value, path));
  if (!found) throw at(path, "is no message of this conversation");
  return found.newId;
}

const FIGURES = /** @type {const} */ (["promptTokens", "reusedTokens", "tokens", "ttftMs", "decodeMs", "tokensPerS"]);

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {Figures | null}
 */
function figures(value, path) {
  if (value === null || value === undefined) return null;
  const fields = object(value, path);
  const numbers = FIGURES.map((name) => [name, number(fields[name], `${path}.${name}`)]);
  const why = string(fields["reason"], `${path}.reason`, LONGEST_REASON);
  return /** @type {Figures} */ ({ reason: why, ...Object.fromEntries(numbers) });
}
