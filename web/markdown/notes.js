/** @file Footnotes, and what refers to them: each leads to the other, within one text. */

import { say } from "../words.js";

/**
 * Notes have no ids, which would have to differ from answer to answer: what a link leads to is looked
 * for when it is followed.
 * @param {HTMLElement} element  holds the text
 */
export function leadToNotes(element) {
  element.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest(".note-link") : null;
    const place = link && /** @type {HTMLElement} */ (link).dataset["to"];
    if (!place) return;
    event.preventDefault();
    const found = /** @type {HTMLElement | null} */ (element.querySelector(`[data-at="${place}"]`));
    found?.scrollIntoView({ block: "center" });
    found?.focus({ preventScroll: true });
  });
}

/** @param {number} number */
export function noteReference(number) {
  const reference = linked(number, `reference-${number}`, `note-${number}`, say("Note {number}", { number }));
  reference.firstElementChild?.setAttribute("role", "doc-noteref");
  return reference;
}

/** The note; what it says goes into its last element. @param {number} number */
export function noteElement(number) {
  const note = document.createElement("div");
  note.className = "note";
  const back = say("Note {number}: back to the text", { number });
  note.append(linked(number, `note-${number}`, `reference-${number}`, back), document.createElement("div"));
  return note;
}

/**
 * @param {number} number
 * @param {string} at  where it is
 * @param {string} to  where it leads
 * @param {string} label
 */
function linked(number, at, to, label) {
  const link = document.createElement("a");
  link.className = "note-link";
  link.href = `#${to}`;
  link.rel = "noopener noreferrer";
  link.textContent = String(number);
  link.title = label;
  link.setAttribute("aria-label", label);
  Object.assign(link.dataset, { at, to });
  const raised = document.createElement("sup");
  raised.append(link);
  return raised;
}
