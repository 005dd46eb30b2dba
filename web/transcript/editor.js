/** @file A prompt that is written anew, in its place. */

import { submitOnEnter } from "../composer/keys.js";
import { say } from "../words.js";

/**
 * Shows `text` to be edited instead of `body`.
 * @param {HTMLElement} body
 * @param {string} text
 * @param {(text: string) => void} onSend  only with a text that says something
 */
export function edit(body, text, onSend) {
  const form = document.createElement("form");
  form.className = "editor";
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("aria-label", say("Edit this message and send it again"));
  const cancel = button("button", say("Cancel"));
  const row = document.createElement("div");
  row.className = "row";
  row.append(cancel, button("submit", say("Send")));
  form.append(field, row);
  const close = () => form.replaceWith(body);
  const opener = document.activeElement;
  const leave = () => {
    close();
    if (opener instanceof HTMLElement) opener.focus();
  };
  const submit = () => {
    if (field.value.trim() === "") return field.focus();
    close();
    onSend(field.value);
  };
  cancel.addEventListener("click", leave);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  submitOnEnter(field, submit);
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation(); // an answer that is being made is not meant
    leave();
  });
  body.replaceWith(form);
  field.focus();
}

/**
 * @param {"button" | "submit"} type
 * @param {string} text
 */
function button(type, text) {
  const made = document.createElement("button");
  made.type = type;
  made.textContent = text;
  return made;
}
