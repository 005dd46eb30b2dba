/** @file Copying an answer or its code, and saving code as a file. */

import { saveFile } from "./saving.js";
import { say } from "./words.js";

const SAID_FOR_MS = 1500;

/** Where a language's files end otherwise than in its name. @type {Record<string, string>} */
const ENDINGS = {
  bash: "sh",
  csharp: "cs",
  "c++": "cpp",
  javascript: "js",
  kotlin: "kt",
  markdown: "md",
  python: "py",
  ruby: "rb",
  rust: "rs",
  shell: "sh",
  typescript: "ts",
  text: "txt",
};

/**
 * Buttons of code, by one listener for all of them.
 * @param {HTMLElement} transcript
 */
export function serveCodeButtons(transcript) {
  transcript.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    const code = target.closest(".code")?.querySelector("code");
    if (!code) return;
    if (target.classList.contains("copy")) copy(code.textContent ?? "", target);
    if (target.classList.contains("save")) saveFile(textFile(code.textContent ?? ""), fileName(code.dataset["language"] ?? ""));
  });
}

/**
 * Puts the text on the clipboard, and says on the button whether it is there.
 * @param {string} text
 * @param {HTMLButtonElement} button
 */
export async function copy(text, button) {
  const said = button.dataset["said"] ?? button.textContent ?? "";
  button.dataset["said"] = said;
  button.textContent = await navigator.clipboard.writeText(text).then(
    () => say("Copied"),
    () => say("Not allowed"), // by the browser: the text can be selected
  );
  setTimeout(() => (button.textContent = said), SAID_FOR_MS);
}

/** @param {string} text */
const textFile = (text) => new Blob([text], { type: "text/plain" });

/** A name that a language gave, which a model has written, is a name and no path. @param {string} language */
export function fileName(language) {
  const name = language.toLowerCase();
  const ending = ENDINGS[name] ?? (/^[a-z0-9]{1,10}$/.test(name) ? name : "txt");
  return `code.${ending}`;
}
