/** @file A chat page without a framework; how an answer is rendered is the caller's. */

import { stickToEnd } from "./stick.js";
import { answerTo } from "./upstream.js";

const PAGE = `
  <div id="transcript"><div id="messages"></div></div>
  <form>
    <textarea id="prompt" rows="2" placeholder="Write a message" autofocus></textarea>
    <button id="send">Send</button>
    <button id="stop" type="button" hidden>Stop</button>
  </form>`;

/**
 * @typedef {object} Renderer
 * @property {(text: string) => void} write  what came, one call an event
 * @property {() => void} [end]  nothing more comes
 */

/** @param {(answer: HTMLElement) => Renderer} renderInto */
export function chat(renderInto) {
  document.getElementById("chat").innerHTML = PAGE;
  const [transcript, messages, form, prompt, send, stop] = [
    "#transcript", "#messages", "form", "#prompt", "#send", "#stop",
  ].map((selector) => document.querySelector(selector));
  const conversation = [];
  let stopping = new AbortController();

  function message(role) {
    const element = document.createElement("div");
    element.className = `message ${role}`;
    messages.append(element);
    return element;
  }

  async function stream(element) {
    const renderer = renderInto(element);
    const answer = { role: "assistant", content: "" };
    try {
      for await (const text of answerTo(conversation, stopping.signal)) {
        answer.content += text;
        renderer.write(text);
      }
    } finally {
      renderer.end?.();
      conversation.push(answer);
    }
  }

  async function submit() {
    const content = prompt.value.trim();
    if (!content || send.hidden) return;
    prompt.value = "";
    conversation.push({ role: "user", content });
    message("user").textContent = content;
    stopping = new AbortController();
    send.hidden = true;
    stop.hidden = false;
    const element = message("assistant");
    try {
      await stream(element);
    } catch (error) {
      if (error.name !== "AbortError") element.append(` (${error.message})`);
    } finally {
      send.hidden = false;
      stop.hidden = true;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  prompt.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  stop.addEventListener("click", () => stopping.abort());
  stickToEnd(transcript, messages);
}
