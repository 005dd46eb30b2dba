/** @file Text files into the prompt: dropped on the page, pasted, or picked. */

import { say } from "../words.js";
import { fenced } from "./fenced.js";
import { readText } from "./reading.js";
import { Typist } from "./typist.js";

/** @import { NamedFailure } from "../words.js" */
/** @import { Given } from "./reading.js" */

/** All files of one drop. A prompt is bounded by the context window, and that is less. */
const MOST_BYTES = 1e6;

/** @typedef {(given: Given[]) => void} Take */

/**
 * @param {object} parts
 * @param {HTMLElement} parts.target  where files may be dropped: the whole page
 * @param {HTMLTextAreaElement} parts.prompt
 * @param {HTMLButtonElement} parts.attach
 * @param {(failure: NamedFailure) => void} parts.onTrouble  once for each file that was left out
 */
export function serveFiles({ target, prompt, attach, onTrouble }) {
  const typist = new Typist(prompt);
  let last = Promise.resolve();
  /** Files that were given while others are read come after them. @type {Take} */
  const take = (given) => {
    last = last.then(async () => insert(typist, await blocksOf(given, onTrouble)));
  };
  serveDrop(target, take);
  servePaste(prompt, take);
  serveButton(attach, take);
}

/**
 * @param {HTMLElement} target
 * @param {Take} take
 */
function serveDrop(target, take) {
  const hint = target.appendChild(dropHint());
  target.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return; // text that is dragged is the browser's
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    hint.hidden = false;
  });
  // It lies over everything, so whatever is left while it is there is left for it.
  hint.addEventListener("dragleave", () => (hint.hidden = true));
  target.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    hint.hidden = true;
    take(filesOf(event.dataTransfer));
  });
}

function dropHint() {
  const hint = document.createElement("div");
  hint.className = "drop-hint";
  hint.hidden = true;
  // Its own text: entering an element in it would count as leaving it.
  hint.textContent = say("Drop text files: they become part of your message");
  return hint;
}

/**
 * @param {HTMLTextAreaElement} prompt
 * @param {Take} take
 */
function servePaste(prompt, take) {
  prompt.addEventListener("paste", (event) => {
    const given = filesOf(event.clipboardData);
    // A word processor puts a picture of the text beside it.
    const isText = event.clipboardData?.types.includes("text/plain");
    if (given.length === 0 || (isText && given.every(({ file }) => file.type.startsWith("image/")))) return;
    event.preventDefault();
    take(given);
  });
}

/**
 * @param {HTMLButtonElement} attach
 * @param {Take} take
 */
function serveButton(attach, take) {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.addEventListener("change", () => {
    take([...(input.files ?? [])].map((file) => ({ file, isFolder: false })));
    input.value = ""; // so that choosing the same file again is a change
  });
  attach.addEventListener("click", () => input.click());
}

/**
 * To be read at once: what is dropped is there only while its event is.
 * @param {DataTransfer | null} given
 * @returns {Given[]}
 */
function filesOf(given) {
  return [...(given?.items ?? [])].flatMap((item) => {
    const file = item.kind === "file" ? item.getAsFile() : null;
    return file ? [{ file, isFolder: item.webkitGetAsEntry()?.isDirectory ?? false }] : [];
  });
}

/**
 * @param {Given[]} given
 * @param {(failure: NamedFailure) => void} onTrouble
 */
async function blocksOf(given, onTrouble) {
  const blocks = [];
  let roomBytes = MOST_BYTES;
  for (const one of given) {
    const read = await readText(one, roomBytes);
    if (typeof read !== "string") {
      onTrouble(read);
      continue;
    }
    roomBytes -= one.file.size;
    blocks.push(fenced(one.file.name, read));
  }
  return blocks;
}

/**
 * At the caret, replacing nothing, in paragraphs of their own, as one step to undo.
 * @param {Typist} typist
 * @param {string[]} blocks
 */
function insert(typist, blocks) {
  const { field: prompt } = typist;
  if (blocks.length === 0) return;
  const at = prompt.selectionEnd;
  const before = prompt.value.slice(0, at);
  const gap = before === "" || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const end = /^[^\n]/.test(prompt.value.slice(at)) ? "\n" : "";
  typist.insert(`${gap}${blocks.join("\n")}${end}`, at);
}
