/**
 * @file What conversations look like in files.
 *
 * JSON, one conversation a line, whole or not at all:
 *
 * ```
 * {"format":"pageside-conversations","version":1,"conversations":[
 * {"id":…,"title":…,"createdAt":…,"changedAt":…,"leaf":…,"messages":[
 *   {"id":…,"parent":…,"role":"user"|"assistant","text":…,"state":"done"|"stopped"|"failed","at":…,"figures":…}, …]},
 * …
 * ]}
 * ```
 *
 * `parent` and `leaf` are ids of messages of the same conversation, or null. Times are ms since the epoch.
 */

/** @import { StoredConversation, StoredMessage } from "./types.js" */

export const FORMAT = "pageside-conversations";
export const VERSION = 1;

/** A file is read whole: twice this, and more, is needed to do so. */
export const MOST_BYTES = 256 * 1024 * 1024;

export const BEGINNING = `{"format":"${FORMAT}","version":${VERSION},"conversations":[\n`;
export const BETWEEN = ",\n";
export const END = "\n]}\n";

/**
 * @param {StoredConversation} conversation
 * @param {StoredMessage[]} messages
 */
export function toJson({ id, title, createdAt, changedAt, leaf }, messages) {
  const ids = new Set(messages.map((message) => message.id));
  /** What was removed leads nowhere. @param {string | null} to */
  const known = (to) => (to !== null && ids.has(to) ? to : null);
  const inFile = messages.map((message) => ({
    ...{ id: message.id, parent: known(message.parent), role: message.role, text: message.text },
    // A file does not stream: what is being written is stopped there.
    ...{ state: message.state === "streaming" ? "stopped" : message.state, at: message.at, figures: message.figures },
  }));
  return JSON.stringify({ id, title, createdAt, changedAt, leaf: known(leaf), messages: inFile });
}

/**
 * One branch of a conversation, to be read. Before each message stands a comment, which is not shown
 * and which no text holds, so that a heading in a text is not taken for the next message; and a block
 * of code that a text leaves open is closed. Otherwise the texts stand as they are.
 * @param {StoredConversation} conversation
 * @param {StoredMessage[]} messages  in their order
 */
export function toMarkdown(conversation, messages) {
  const mark = unused(messages);
  const title = conversation.title.replace(/\s+/gu, " ").trim();
  const said = messages.map(({ role, text }) => `${mark}\n\n## ${ROLES[role]}\n\n${text}${closing(text)}\n`);
  return [title ? `# ${title}\n` : "", ...said].filter(Boolean).join("\n");
}

const ROLES = { user: "User", assistant: "Assistant" };

/** A comment that is in none of the texts. @param {StoredMessage[]} messages */
function unused(messages) {
  const runs = messages.flatMap(({ text }) => text.match(/={3,}/g) ?? []);
  const length = runs.reduce((longest, run) => Math.max(longest, run.length), 2) + 1;
  return `<!-- ${"=".repeat(length)} -->`;
}

/** What closes the fence that a text leaves open, as CommonMark has it. @param {string} text */
function closing(text) {
  let open = "";
  for (const [, fence = "", info = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (!open) open = fence.startsWith("`") && info.includes("`") ? "" : fence;
    else if (fence.startsWith(open) && info.trim() === "") open = "";
  }
  return open && `${text.endsWith("\n") ? "" : "\n"}${open}`;
}
