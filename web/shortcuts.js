/** @file The keys that work everywhere on the page. */

import { isComposing } from "./composer/keys.js";

/**
 * @typedef {object} Shortcuts
 * @property {() => boolean} stop       false: nothing to stop
 * @property {() => void} newChat
 * @property {() => void} search
 * @property {() => void} settings
 * @property {() => boolean} undo       false: there is nothing to take back
 * @property {() => boolean} editLast   false: there is none, or the prompt is not empty
 */

/** @param {Shortcuts} on */
export function serveShortcuts(on) {
  document.addEventListener("keydown", (event) => {
    if (isComposing(event) || document.querySelector("dialog[open], :popover-open") || empties(event)) return;
    if (isTaken(event, on)) event.preventDefault();
  });
}

/** Whether the key takes back what is sought. @param {KeyboardEvent} event */
const empties = ({ key, target }) =>
  key === "Escape" && target instanceof HTMLInputElement && target.type === "search" && target.value !== "";

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/**
 * @param {KeyboardEvent} event
 * @param {Shortcuts} on
 * @returns {boolean}  whether the key was for the page
 */
function isTaken(event, on) {
  const { key, shiftKey, altKey } = event;
  const isCommand = (event.ctrlKey || event.metaKey) && !altKey;
  if (key === "Escape") return on.stop();
  if (key === "ArrowUp" && !isCommand && !shiftKey && !altKey) return on.editLast();
  if (isCommand && shiftKey && key.toLowerCase() === "o") return on.newChat(), true;
  if (isCommand && !shiftKey && key.toLowerCase() === "k") return on.search(), true;
  if (isCommand && !shiftKey && key === ",") return on.settings(), true;
  // In a field it is the browser's.
  if (isCommand && !shiftKey && key.toLowerCase() === "z") return !isField(event.target) && on.undo();
  return false;
}
