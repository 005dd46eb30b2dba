// A small chat page: what all the pages of this folder have in common. A page passes the class
// that draws an answer, and with that its fault.
//
//   ?upstream=URL   an OpenAI-compatible server, without /v1
//   ?history=N      begins with N earlier messages
//   ?spinner=1      something moves while an answer is awaited
//
// Messages lie in groups that the browser need not lay out while they are off the screen, so that
// a long conversation costs an answer nothing.

import { deltas } from "./sse.js";

/**
 * Draws one answer.
 * @typedef {object} Answer
 * @property {(piece: string) => void} push  takes the next piece of text
 * @property {() => void} end                nothing follows: the answer is whole, or was stopped
 */
/** @typedef {new (body: HTMLElement, follow: () => void) => Answer} AnswerClass */
/** @typedef {{ role: "user" | "assistant", content: string }} Message */

export const query = new URLSearchParams(location.search);

const GROUP = 20;
const NEAR_END_PX = 40;

/** One answer on its way. Pages may say otherwise what Stop does to it. */
class Call {
  /** @param {Answer} answer */
  constructor(answer) {
    this.answer = answer;
    this.content = "";
    this.stopped = false;
    this.connection = new AbortController();
  }

  stop() {
    this.stopped = true;
    this.connection.abort();
  }

  /** @param {string} piece */
  receive(piece) {
    this.content += piece;
    this.answer.push(piece);
  }
}
export { Call };

class Chat {
  /** @param {AnswerClass} AnswerClass @param {typeof Call} CallClass */
  constructor(AnswerClass, CallClass) {
    this.AnswerClass = AnswerClass;
    this.CallClass = CallClass;
    /** @type {Message[]} */
    this.conversation = [];
    /** @type {Call | null} */
    this.call = null;
    this.following = true;
    this.build();
    this.restore(Number(query.get("history") ?? 0));
  }

  build() {
    document.body.innerHTML = `
      <header><h1></h1><span class="spinner" hidden></span></header>
      <main class="transcript" role="log" tabindex="0"></main>
      <form>
        <textarea rows="2" placeholder="Write a message" aria-label="Message"></textarea>
        <button type="submit">Send</button>
        <button type="button" disabled>Stop</button>
      </form>`;
    this.find("h1").textContent = document.title;
    this.transcript = this.find("main");
    this.spinner = this.find(".spinner");
    this.box = /** @type {HTMLTextAreaElement} */ (this.find("textarea"));
    this.send = /** @type {HTMLButtonElement} */ (this.find("[type=submit]"));
    this.halt = /** @type {HTMLButtonElement} */ (this.find("[type=button]"));
    this.find("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask();
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.ask();
    });
    this.halt.addEventListener("click", () => this.stop());
    this.transcript.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.transcript;
      this.following = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    });
    this.box.focus();
  }

  /** @param {string} selector @returns {HTMLElement} */
  find(selector) {
    const element = document.querySelector(selector);
    if (!(element instanceof HTMLElement)) throw new Error(`no ${selector} on the page`);
    return element;
  }

  /** @param {number} count */
  restore(count) {
    for (let i = 0; i < count; i++) {
      const role = i % 2 ? "assistant" : "user";
      const content = `Message ${i + 1}. ` + EARLIER.repeat(role === "user" ? 1 : 4);
      this.conversation.push({ role, content });
      this.add(role).textContent = content;
    }
    this.follow();
  }

  /** @param {Message["role"]} role @returns {HTMLElement} where its content goes */
  add(role) {
    let group = this.transcript.lastElementChild;
    if (!group || group.childElementCount === GROUP) {
      group = document.createElement("section");
      this.transcript.append(group);
    }
    const message = document.createElement("article");
    message.className = `message ${role}`;
    const body = document.createElement("div");
    body.className = "content";
    message.append(body);
    group.append(message);
    return body;
  }

  /** Keeps the end in sight unless the reader has scrolled away. The only place that scrolls. */
  follow() {
    if (this.following) this.transcript.scrollTop = this.transcript.scrollHeight;
  }

  ask() {
    const prompt = this.box.value.trim();
    if (!prompt || this.call) return;
    this.box.value = "";
    this.conversation.push({ role: "user", content: prompt });
    this.add("user").textContent = prompt;
    this.following = true;
    const body = this.add("assistant");
    this.follow();
    const call = new this.CallClass(new this.AnswerClass(body, () => this.follow()));
    this.show(call);
    void this.run(call, body);
  }

  /** @param {Call} call @param {HTMLElement} body */
  async run(call, body) {
    const messages = [...this.conversation];
    /** @type {Message} */
    const reply = { role: "assistant", content: "" };
    this.conversation.push(reply);
    try {
      const response = await fetch(`${query.get("upstream")}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "pace", stream: true, messages }),
        signal: call.connection.signal,
      });
      if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
      for await (const piece of deltas(response.body)) call.receive(piece);
    } catch (error) {
      if (!call.stopped) this.complain(body, error);
    }
    reply.content = call.content;
    call.answer.end();
    if (this.call === call) this.show(null);
  }

  stop() {
    this.call?.stop();
    this.show(null);
  }

  /** @param {Call | null} call the answer that Stop would stop */
  show(call) {
    this.call = call;
    this.send.disabled = call !== null;
    this.halt.disabled = call === null;
    this.spinner.hidden = call === null || query.get("spinner") !== "1";
  }

  /** @param {HTMLElement} body @param {unknown} error */
  complain(body, error) {
    const line = document.createElement("p");
    line.className = "failure";
    line.textContent = String(error);
    body.after(line);
    this.follow();
  }
}

const EARLIER =
  "Some time ago somebody asked about the harbour, its ferries and the tides that bring them in. " +
  "The answer took a while, named three timetables, and was read twice before the next question. ";

/** @param {{ Answer: AnswerClass, Call?: typeof Call }} page */
export function start(page) {
  new Chat(page.Answer, page.Call ?? Call);
}
