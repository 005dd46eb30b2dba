/** @file The page's composition root: builds the parts, connects them, starts. */

import { Chat } from "./chat.js";
import { Client } from "./client.js";
import { serveCodeButtons } from "./copying.js";
import { mark } from "./marks.js";
import { Scroll } from "./scroll.js";
import { fetchSettings } from "./settings.js";
import { Status } from "./status.js";
import { say, translate } from "./words.js";

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
const prompt = find("prompt", HTMLTextAreaElement);
const send = find("send", HTMLButtonElement);
const stop = find("stop", HTMLButtonElement);
const transcript = find("transcript", HTMLElement);
const welcome = find("welcome", HTMLElement);
const status = new Status({
  line: find("status", HTMLElement),
  model: find("model", HTMLElement),
  backend: find("backend", HTMLElement),
  progress: find("progress", HTMLProgressElement),
});

function start() {
  const client = new Client(fetchSettings, status);
  const scroll = new Scroll(find("scroller", HTMLElement), find("latest", HTMLButtonElement));
  const chat = new Chat(client, transcript, scroll, () => refresh(chat));
  connect(chat, client);
  serveCodeButtons(transcript);
  refresh(chat);
  load(client);
}

/**
 * @param {Chat} chat
 * @param {Client<ServedSettings>} client
 */
function connect(chat, client) {
  const submit = () => {
    if (!chat.hasRoom || prompt.value.trim() === "") return prompt.focus();
    welcome.remove();
    const text = prompt.value;
    prompt.value = "";
    chat.send(text);
    prompt.focus();
  };
  find("composer", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  prompt.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    submit();
  });
  prompt.addEventListener("input", () => refresh(chat));
  stop.addEventListener("click", () => {
    chat.stop();
    prompt.focus(); // the button goes, and would take the focus with it
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !isComposing(event) && client.busy) chat.stop();
  });
  find("new-chat", HTMLButtonElement).addEventListener("click", () => {
    chat.clear();
    transcript.append(welcome);
    prompt.focus();
  });
  welcome.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    prompt.value = target.textContent ?? "";
    submit();
  });
}

/**
 * While an input method composes, the keys are its own; Safari says so by 229 alone.
 * @param {KeyboardEvent} event
 */
const isComposing = (event) => event.isComposing || event.keyCode === 229;

/** @param {Chat} chat */
function refresh(chat) {
  stop.hidden = !chat.client.busy;
  stop.title = chat.client.queueLength > 0 ? say("Stops this answer and those that wait") : "";
  send.disabled = !chat.hasRoom || prompt.value.trim() === "";
  send.title = chat.hasRoom ? "" : say("The queue is full: wait for an answer, or press Stop");
}

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
