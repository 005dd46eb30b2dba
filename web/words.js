/** @file What the page says, in the visitor's language. */

import { CHINESE } from "./chinese.js";

export const isChinese = /^zh\b/i.test(navigator.language);

/** @import { Failure } from "../worker/protocol.js" */

/** With `values` its words name the thing in either language. @typedef {Failure & { values?: Record<string, string> }} NamedFailure */

/**
 * The words in the visitor's language.
 * @param {string} english
 * @param {Record<string, string | number>} [values]  of the names in braces
 */
export function say(english, values = {}) {
  return filled((isChinese && CHINESE[english]) || english, values);
}

/**
 * What went wrong and the way out. In Chinese by its code, with the English behind it where that alone
 * names the thing, as the server's log and the documentation do.
 * @param {NamedFailure} failure
 */
export function sayFailure({ code, message, hint, values }) {
  const english = `${message.charAt(0).toUpperCase()}${message.slice(1)}. ${hint}`.trim();
  const chinese = isChinese && CHINESE[code];
  if (!chinese) return english;
  return values ? filled(chinese, values) : `${chinese}（${english}）`;
}

/**
 * @param {string} words
 * @param {Record<string, string | number>} values
 */
const filled = (words, values) => words.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

/**
 * Translates what the document itself says: `data-say` names attributes, or nothing for the text.
 * @param {ParentNode} root
 */
export function translate(root) {
  if (!isChinese) return;
  document.documentElement.lang = "zh-CN";
  for (const element of root.querySelectorAll("[data-say]")) {
    const names = element.getAttribute("data-say");
    if (!names) element.textContent = say((element.textContent ?? "").trim().replace(/\s+/g, " "));
    for (const name of names?.split(" ").filter(Boolean) ?? []) {
      element.setAttribute(name, say(element.getAttribute(name) ?? ""));
    }
  }
}
