/** @file What can be done with a message: a row of buttons, and one listener for all of them. */

import { say } from "../words.js";

/**
 * @typedef {"copy" | "edit" | "again" | "retry" | "continue" | "delete" | "cancel" | "earlier" | "later"} Act
 * @typedef {{ ids: string[], at: number }} Branches
 */

/** @param {Act} act @returns {[text: string, label: string]} */
function wordsOf(act) {
  switch (act) {
    case "copy":
      return [say("Copy"), say("Copy this message")];
    case "edit":
      return [say("Edit"), say("Edit this message and send it again")];
    case "again":
      return [say("Regenerate"), say("Make another answer")];
    case "retry":
      return [say("Retry"), say("Ask for this answer again")];
    case "continue":
      return [say("Continue"), say("Go on with this answer")];
    case "delete":
      return [say("Delete"), say("Delete this message and what follows it")];
    case "cancel":
      return [say("Cancel"), say("Take this prompt out of the queue")];
    case "earlier":
      return ["‹", say("Earlier version")];
    case "later":
      return ["›", say("Later version")];
  }
}

/**
 * @param {Act[]} acts
 * @param {Branches} branches  of the message
 */
export function actionRow(acts, branches) {
  const row = document.createElement("div");
  row.className = "actions";
  if (branches.ids.length > 1) row.append(branchSwitch(branches));
  row.append(...acts.map((act) => actionButton(act)));
  return row;
}

/** @param {Branches} branches */
function branchSwitch({ ids, at }) {
  const group = document.createElement("span");
  group.className = "branches";
  const place = document.createElement("span");
  place.textContent = `${at + 1}/${ids.length}`;
  place.setAttribute("aria-label", say("Version {at} of {count}", { at: at + 1, count: ids.length }));
  place.setAttribute("role", "img");
  group.append(actionButton("earlier", at === 0), place, actionButton("later", at === ids.length - 1));
  return group;
}

/**
 * @param {Act} act
 * @param {boolean} [isOff]
 */
function actionButton(act, isOff = false) {
  const [text, label] = wordsOf(act);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.dataset["act"] = act;
  button.dataset["testid"] = `${act}-message`;
  // Who speaks to the machine says what is written: a label of other words would not be found.
  if (text.length === 1 || label.startsWith(text)) button.setAttribute("aria-label", label);
  button.title = label;
  button.textContent = text;
  button.disabled = isOff;
  return button;
}

/**
 * @param {HTMLElement} transcript
 * @param {(act: Act, id: string, button: HTMLButtonElement) => void} on
 */
export function serveActions(transcript, on) {
  transcript.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button[data-act]") : null;
    const id = /** @type {HTMLElement | null | undefined} */ (button?.closest("[data-id]"))?.dataset["id"];
    if (id && button instanceof HTMLButtonElement) on(/** @type {Act} */ (button.dataset["act"]), id, button);
  });
}
