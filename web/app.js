/** @file The page's composition root: builds the parts, connects them, starts. */

import { Address } from "./address.js";
import { Announcer } from "./announcer.js";
import { Answering } from "./answering.js";
import { Chat } from "./chat.js";
import { Client } from "./client.js";
import { Composer } from "./composer/composer.js";
import { PromptCount } from "./composer/count.js";
import { Drafts } from "./composer/drafts.js";
import { serveFiles } from "./composer/files.js";
import { Conversation } from "./conversations/conversation.js";
import { Library } from "./conversations/library.js";
import { serveCodeButtons } from "./copying.js";
import { keepFocus } from "./focus.js";
import { installGauges } from "./gauges/gauges.js";
import { Keeper } from "./keeping/keeper.js";
import { mark } from "./marks.js";
import { Notice } from "./notice.js";
import { Panel } from "./sidebar/panel.js";
import { PreferencesDialog } from "./preferences.js";
import { Scroll } from "./scroll.js";
import { fetchSettings } from "./settings.js";
import { Status } from "./status.js";
import { serveShortcuts } from "./shortcuts.js";
import { editPrompt, serveMessages } from "./transcript/acting.js";
import { Transcript } from "./transcript/transcript.js";
import { say, translate } from "./words.js";

/** @import { Failure } from "../worker/protocol.js" */
/** @import { Change } from "./keeping/types.js" */
/** @import { ServedSettings } from "./settings.js" */

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function find(id, type) {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new TypeError(`the page has no ${type.name} #${id}`);
}

translate(document);
const status = new Status({
  line: find("status", HTMLElement),
  model: find("model", HTMLElement),
  backend: find("backend", HTMLElement),
  progress: find("progress", HTMLProgressElement),
});

function start() {
  const notice = new Notice(find("notice", HTMLElement));
  const complain = (/** @type {Failure} */ failure) => notice.fail(failure);
  const keeper = Keeper.open(complain, (change) => otherTab(change));
  const preferences = new PreferencesDialog(find("settings", HTMLDialogElement), complain);
  const client = new Client(fetchSettings, status);
  const scroll = new Scroll(find("scroller", HTMLElement), find("latest", HTMLButtonElement));
  const transcript = new Transcript(find("transcript", HTMLElement));
  const announcer = new Announcer(
    find("announced", HTMLElement),
    find("sentences", HTMLElement),
    () => preferences.current.sentences,
  );
  const answering = new Answering({ client, announcer, preferences: () => preferences.current, onChange: refresh });
  const chat = new Chat({ answering, transcript, scroll, onChange: refresh }, Conversation.begin(keeper));
  const library = new Library({ keeper, chat, notice, onChange: () => (composer.open(), refresh()) });
  const composer = buildComposer(answering, chat, library, notice);
  const panel = new Panel(find, keeper, library);
  const address = new Address((id) => (id ? library.open(id) : library.begin()));

  /** What may be done, and what is open. */
  function refresh() {
    const { conversation } = chat;
    find("welcome", HTMLElement).hidden = !conversation.isEmpty;
    document.title = conversation.record.title ? `${conversation.record.title} – Pageside` : "Pageside";
    composer.refresh();
    address.show(conversation.isEmpty ? "" : conversation.id);
    panel.mark(chat);
    void panel.refresh();
  }

  /** @param {Change} change */
  function otherTab({ kind, conversation }) {
    if (kind === "deleted" && conversation === chat.conversation.id) void leave();
    else if (!conversation || conversation === chat.conversation.id) void chat.refresh();
    void panel.refresh();
  }

  /** The conversation is gone; what was being written in it is not. */
  async function leave() {
    const { value } = find("prompt", HTMLTextAreaElement);
    await library.leave();
    if (value) composer.write(value);
  }

  serveMessages(transcript.element, chat, notice);
  keepFocus(find("prompt", HTMLTextAreaElement));
  serveCodeButtons(transcript.element);
  serveWelcome(composer);
  installGauges({ container: find("gauges", HTMLElement), opener: find("open-gauges", HTMLButtonElement), client });
  find("open-settings", HTMLButtonElement).addEventListener("click", () => preferences.open());
  find("new-chat", HTMLButtonElement).addEventListener("click", () => startAnew(client, library));
  serveShortcuts({
    stop: () => panel.dismiss() || (client.busy && (answering.stop(), true)),
    newChat: () => startAnew(client, library),
    search: () => panel.seek(),
    settings: () => preferences.open(),
    undo: () => notice.undo(),
    editLast: () => editLast(transcript.element, chat, notice),
  });
  void address.follow();
  load(client);
  // For who drives the page: resolves once everything said so far is in the store.
  Object.assign(globalThis, { pageside: { settled: () => keeper.settled() } });
}

/**
 * @param {Answering} answering
 * @param {Chat} chat
 * @param {Library} library
 * @param {Notice} notice
 */
function buildComposer(answering, chat, library, notice) {
  const prompt = find("prompt", HTMLTextAreaElement);
  const { client } = answering;
  const composer = new Composer({
    form: find("composer", HTMLFormElement),
    prompt,
    send: find("send", HTMLButtonElement),
    stop: find("stop", HTMLButtonElement),
    drafts: new Drafts(undefined, (failure) => notice.fail(failure)),
    // One that has no message yet is another after a reload.
    draft: () => (chat.conversation.isEmpty ? "new" : chat.conversation.id),
    count: new PromptCount(
      find("prompt-count", HTMLElement),
      (text) => client.count(text),
      () => chat.tokens,
      () => boundOf(client.ready?.contextWindow),
    ),
    state: () => ({ hasRoom: answering.hasRoom && !library.isOpening, isBusy: client.busy, isWaiting: client.queueLength > 0 }),
    onSend: (text) => {
      notice.hide("file *");
      chat.send(text);
    },
    onStop: () => answering.stop(),
    onFull: () => notice.say(library.isOpening ? say("The conversation is being opened") : say("The queue is full: wait for an answer, or press Stop")),
  });
  serveFiles({
    target: document.body,
    prompt,
    attach: find("attach", HTMLButtonElement),
    onTrouble: (failure) => notice.fail(failure, `file ${failure.values?.["name"]}`),
  });
  return composer;
}

/** @param {Composer} composer */
function serveWelcome(composer) {
  find("welcome", HTMLElement).addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    composer.write(target.textContent ?? "");
    composer.submit();
  });
}

/**
 * An empty conversation; what was being made for the one before it ends, and is kept.
 * @param {Client<ServedSettings>} client
 * @param {Library} library
 */
function startAnew(client, library) {
  if (client.busy) client.stop();
  client.forget();
  void library.begin();
  find("prompt", HTMLTextAreaElement).focus();
}

/**
 * @param {HTMLElement} transcript
 * @param {Chat} chat
 * @param {Notice} notice
 */
function editLast(transcript, chat, notice) {
  const prompt = find("prompt", HTMLTextAreaElement);
  const last = chat.conversation.tree.path().findLast(({ role }) => role === "user");
  if (document.activeElement !== prompt || prompt.value !== "" || !last) return false;
  editPrompt(last, transcript, chat, notice);
  return true;
}

/** Scripted answers have no end to their window. @param {number | undefined} window */
const boundOf = (window) => (window === undefined || window === Number.MAX_SAFE_INTEGER ? null : window);

/** @param {Client<ServedSettings>} client */
function load(client) {
  mark("load-start");
  client.load().then(
    () => mark("load-end"),
    () => undefined, // the status line says what went wrong; the next prompt tries again
  );
}

if (isSecureContext) start();
else {
  for (const control of document.querySelectorAll("button, textarea")) control.setAttribute("disabled", "");
  status.failed({
    code: "insecure_context",
    message: "this address is not a secure context, so the browser withholds what the model needs",
    hint: "Open the page by http://localhost or https.",
  });
}
