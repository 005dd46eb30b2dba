/** @file What the buttons of messages do. */

import { serveActions } from "./actions.js";
import { edit } from "./editor.js";
import { copy } from "../copying.js";
import { answerOf } from "../thinking.js";
import { say } from "../words.js";

/** @import { Chat } from "../chat.js" */
/** @import { StoredMessage } from "../keeping/types.js" */
/** @import { Notice } from "../notice.js" */

/**
 * @param {HTMLElement} transcript
 * @param {Chat} chat
 * @param {Notice} notice
 */
export function serveMessages(transcript, chat, notice) {
  serveActions(transcript, (act, id, button) => {
    const message = chat.conversation.tree.get(id);
    if (!message) return;
    switch (act) {
      case "copy":
        return void copy(saidIn(message), button);
      case "cancel":
        return chat.answering.cancel(id);
      case "delete":
        return remove(id, chat, notice);
      case "edit":
        return editPrompt(message, transcript, chat, notice);
      case "again":
      case "retry":
        return withRoom(chat, notice, () => aside(id, 0, chat, notice, () => chat.regenerate(id)));
      case "continue":
        return withRoom(chat, notice, () => aside(id, 0, chat, notice, () => void chat.resume(id)));
      case "earlier":
      case "later":
        notice.hide("kept");
        return turn(message, act, transcript, chat);
    }
  });
}

/**
 * @param {StoredMessage} message
 * @param {HTMLElement} transcript
 * @param {Chat} chat
 * @param {Notice} notice
 */
export function editPrompt(message, transcript, chat, notice) {
  const body = transcript.querySelector(`[data-id="${CSS.escape(message.id)}"] > .body`);
  if (!(body instanceof HTMLElement)) return;
  const resend = (/** @type {string} */ text) => aside(message.id, 1, chat, notice, () => chat.resend(message.id, text));
  edit(body, message.text, (text) => withRoom(chat, notice, () => resend(text)));
}

/**
 * Does what puts another version in the place of a message, and says so where that hides what followed.
 * @param {string} id
 * @param {number} own  messages after it that belong to it
 * @param {Chat} chat
 * @param {Notice} notice
 * @param {() => void} act
 */
function aside(id, own, chat, notice, act) {
  const ids = chat.conversation.tree.path().map((message) => message.id);
  const hidesMore = ids.length - 1 - ids.indexOf(id) > own;
  act();
  if (hidesMore) notice.say(say("What followed is kept: ‹ shows it again"), { about: "kept" });
}

/** An answer without what was thought. @param {StoredMessage} message */
const saidIn = ({ role, text }) => (role === "assistant" ? answerOf(text) : text);

/**
 * @param {Chat} chat
 * @param {Notice} notice
 * @param {() => void} ask
 */
function withRoom(chat, notice, ask) {
  if (chat.answering.hasRoom) ask();
  else notice.say(say("The queue is full: wait for an answer, or press Stop"));
}

/**
 * @param {string} id
 * @param {Chat} chat
 * @param {Notice} notice
 */
function remove(id, chat, notice) {
  const { conversation } = chat;
  const removed = chat.remove(id);
  const words =
    removed.length === 1 ? say("The message was deleted") : say("{count} messages were deleted", { count: removed.length });
  const onUndo = () => {
    conversation.restore(removed);
    if (chat.conversation === conversation) void chat.open(conversation);
    chat.onChange();
  };
  // One alone: what was deleted later may be below what was deleted before.
  notice.say(words, { about: `messages of ${conversation.id}`, onUndo });
}

/**
 * @param {StoredMessage} message
 * @param {"earlier" | "later"} act
 * @param {HTMLElement} transcript
 * @param {Chat} chat
 */
function turn(message, act, transcript, chat) {
  const { ids, at } = chat.conversation.tree.branches(message);
  const other = ids[at + (act === "later" ? 1 : -1)];
  if (!other) return;
  chat.turnTo(message.id, other);
  const shown = transcript.querySelector(`[data-id="${CSS.escape(other)}"]`);
  const button = shown?.querySelector(`[data-act=${act}]:enabled`) ?? shown?.querySelector(".branches button:enabled");
  if (button instanceof HTMLElement) button.focus(); // the button that was pressed is gone
}
