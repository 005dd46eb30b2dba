/**
 * @file An engine that plays a script instead of a model: for tests, demos and
 * UI testers, at any pace, with any fault.
 *
 * A script is JSON Lines, one event a line, played in order:
 * `{"text": "…", "delay_ms": 30}`, `{"prefill_ms": 400}`, `{"stall_ms": 2000}`,
 * `{"error": "…"}`, `{"crash": true}`. `{"end": true}` ends one answer; the next
 * prompt plays what follows, and after the last answer the script starts over.
 */

import { EngineError } from "../errors.js";
import { macrotask, sleep } from "../turn.js";

/** @import { Answer } from "../answer.js" */
/** @import { EndReason, Generate, Load } from "../protocol.js" */
/** @import { Engine, Loaded } from "./engine.js" */

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

const PREFILL_STEPS = 4;

/** How long events may follow each other before the event loop gets its turn, ms. */
const SLICE_MS = 4;

/** Text that may wait for a slow page before an undelayed script waits too, code units. */
const ROOM = 64 * 1024;

/** @implements {Engine} */
export class ScriptedEngine {
  /** @type {ScriptEvent[][]} */
  #answers = [];
  #next = 0;

  /**
   * @param {Load} request
   * @returns {Promise<Loaded>}
   */
  async load({ script }) {
    const startedAt = performance.now();
    const response = await fetch(script ?? "/api/script").catch(() => null);
    if (!response?.ok) {
      throw new EngineError("script_missing", `no script at ${script}`, "Start the server with --script FILE.");
    }
    this.#answers = answers(await response.text());
    if (this.#answers.length === 0) {
      throw new EngineError("script_missing", `the script at ${script} has no answers`, "Put events into it.");
    }
    const loadMs = { total: performance.now() - startedAt };
    return { device: "script", threads: 1, contextWindow: Number.MAX_SAFE_INTEGER, adapter: "", loadMs };
  }

  /**
   * @param {Generate} request
   * @param {Answer} answer
   * @returns {Promise<EndReason>}
   */
  async generate({ sampling }, answer) {
    const events = this.#answers[this.#next++ % this.#answers.length] ?? [];
    const player = new Player(answer, sampling.maxTokens ?? Infinity);
    for (const event of events) {
      const end = await player.play(event);
      if (end) return end;
    }
    return "eos";
  }

  /** A script is the same for everyone. */
  forget() {}
}

/** Keeps the time of one answer. */
class Player {
  #dueAt = performance.now();
  #yieldedAt = performance.now();
  #tokens = 0;

  /**
   * @param {Answer} answer
   * @param {number} maxTokens
   */
  constructor(answer, maxTokens) {
    this.answer = answer;
    this.maxTokens = maxTokens;
  }

  /**
   * @param {ScriptEvent} event
   * @returns {Promise<EndReason | null>}
   */
  async play(event) {
    if (event.prefill_ms !== undefined) await this.#prefill(event.prefill_ms);
    if (event.stall_ms !== undefined) await this.#wait(event.stall_ms);
    if (event.text !== undefined) await this.#token(event.text, event.delay_ms ?? 0);
    if (this.answer.signal.aborted) return "stopped";
    if (event.error !== undefined) throw new EngineError("script_error", event.error, "Retry plays on.");
    if (event.crash) await crash();
    return this.#tokens >= this.maxTokens ? "length" : null;
  }

  /** @param {number} totalMs */
  async #prefill(totalMs) {
    for (let step = 0; step < PREFILL_STEPS && !this.answer.signal.aborted; step++) {
      this.answer.prefill(step, PREFILL_STEPS);
      await this.#wait(totalMs / PREFILL_STEPS);
    }
    this.answer.prompt(PREFILL_STEPS, 0);
  }

  /**
   * @param {string} text
   * @param {number} delayMs
   */
  async #token(text, delayMs) {
    if (delayMs > 0) await this.#wait(delayMs);
    else await this.#room().then(() => this.#turn());
    if (this.answer.signal.aborted) return;
    this.answer.token(text);
    this.#tokens += 1;
  }

  /**
   * Delays add up from the start, so that a late timer is made good: timers
   * cannot tick 5,000 times a second, but as many tokens can come.
   * @param {number} ms
   */
  async #wait(ms) {
    this.#dueAt += ms;
    const restMs = this.#dueAt - performance.now();
    if (restMs <= 0) return this.#turn();
    await sleep(restMs, this.answer.signal);
    this.#yieldedAt = performance.now();
  }

  async #turn() {
    if (performance.now() - this.#yieldedAt < SLICE_MS) return;
    await macrotask();
    this.#yieldedAt = performance.now();
  }

  /** A stopped answer does not wait for a page that may never take its text. */
  async #room() {
    if (this.answer.batcher.pendingLength < ROOM) return;
    const { signal } = this.answer;
    await Promise.race([
      this.answer.batcher.room(ROOM),
      new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true })),
    ]);
  }
}

/** @returns {Promise<never>} */
function crash() {
  self.close();
  return new Promise(() => {});
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
 * @param {string} script
 * @returns {ScriptEvent[][]}
 */
function answers(script) {
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
