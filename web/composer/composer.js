/** @file Where a prompt is written and sent. */

import { submitOnEnter } from "./keys.js";
import { say } from "../words.js";

/** @import { PromptCount } from "./count.js" */
/** @import { Drafts } from "./drafts.js" */

/**
 * @typedef {object} ComposerParts
 * @property {HTMLFormElement} form
 * @property {HTMLTextAreaElement} prompt
 * @property {HTMLButtonElement} send
 * @property {HTMLButtonElement} stop
 * @property {Drafts} drafts
 * @property {() => string} draft  whose draft it is that is written
 * @property {PromptCount} count
 * @property {() => { hasRoom: boolean, isBusy: boolean, isWaiting: boolean }} state
 * @property {(text: string) => void} onSend
 * @property {() => void} onStop
 * @property {() => void} onFull  nothing can be sent now
 */

export class Composer {
  /** @param {ComposerParts} parts */
  constructor(parts) {
    this.parts = parts;
    const { form, prompt, stop } = parts;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    submitOnEnter(prompt, () => this.submit());
    prompt.addEventListener("input", () => this.#changed());
    stop.addEventListener("click", () => {
      parts.onStop();
      prompt.focus(); // the button goes, and would take the focus with it
    });
  }

  /** Another conversation is open: what was being written in it comes back. */
  open() {
    this.parts.prompt.value = this.parts.drafts.of(this.parts.draft());
    this.parts.count.changed(this.parts.prompt.value);
    this.refresh();
  }

  /** @param {string} text */
  write(text) {
    this.parts.prompt.value = text;
    this.#changed();
  }

  submit() {
    const { prompt, state, onSend, onFull } = this.parts;
    const text = prompt.value;
    if (text.trim() === "") return prompt.focus();
    if (!state().hasRoom) return onFull();
    this.write("");
    onSend(text);
    prompt.focus();
  }

  /** What may be pressed now. */
  refresh() {
    const { prompt, send, stop, state } = this.parts;
    const { hasRoom, isBusy, isWaiting } = state();
    stop.hidden = !isBusy;
    stop.title = isWaiting ? say("Stops this answer and those that wait") : "";
    send.disabled = !hasRoom || prompt.value.trim() === "";
    send.title = hasRoom ? "" : say("The queue is full: wait for an answer, or press Stop");
  }

  #changed() {
    const { prompt, drafts, draft, count } = this.parts;
    drafts.keep(draft(), prompt.value);
    count.changed(prompt.value);
    this.refresh();
  }
}
