/**
 * @file A script: JSON Lines, one event a line, played in order:
 * `{"text": "…", "delay_ms": 30}`, `{"prefill_ms": 400}`, `{"stall_ms": 2000}`,
 * `{"error": "…"}`, `{"crash": true}`. `{"end": true}` ends one answer; the next
 * prompt plays what follows, and after the last answer the script starts over.
 */

import { EngineError } from "../errors.js";

/**
 * @typedef {object} ScriptEvent
 * @property {string} [text]        one token's text
 * @property {number} [delay_ms]    after the event before; 0: as fast as the page takes it
 * @property {number} [prefill_ms]
 * @property {number} [stall_ms]
 * @property {string} [error]
 * @property {boolean} [crash]      the worker is gone, without a word
 * @property {boolean} [end]
 */

/**
 * @param {string} script
 * @returns {ScriptEvent[][]}
 */
export function answers(script) {
  /** @type {ScriptEvent[][]} */
  const found = [[]];
  for (const line of script.split("\n")) {
    if (line.trim() === "") continue;
    const event = parsed(line);
    if (event.end) found.push([]);
    else found.at(-1)?.push(event);
  }
  return found.filter((answer, i) => answer.length > 0 || i < found.length - 1);
}

/**
 * @param {string} line
 * @returns {ScriptEvent}
 */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    throw new EngineError("script_missing", `this line is no event of a script: ${line.slice(0, 80)}`);
  }
}

/**
 * What an answer has left once `said` of it was said, wherever in an event that ends.
 * @param {ScriptEvent[]} answer
 * @param {string} said
 * @returns {ScriptEvent[] | null}  null: the answer does not begin so
 */
export function eventsAfter(answer, said) {
  let at = 0;
  for (const [i, event] of answer.entries()) {
    if (at === said.length) return answer.slice(i);
    const { text = "" } = event;
    const part = said.slice(at, at + text.length);
    if (!text.startsWith(part)) return null;
    if (part.length < text.length) return [{ ...event, text: text.slice(part.length) }, ...answer.slice(i + 1)];
    at += text.length;
  }
  return at === said.length ? [] : null;
}
