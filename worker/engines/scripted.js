/**
 * @file An engine that plays a script instead of a model: for tests, demos and
 * UI testers, at any pace, with any fault.
 */

import { EngineError } from "../errors.js";
import { macrotask, sleep } from "../turn.js";
import { answers, eventsAfter } from "./script.js";

/** @import { Answer } from "../answer.js" */
/** @import { EndReason, Generate, Load, TokenCount } from "../protocol.js" */
/** @import { Engine, Loaded } from "./engine.js" */
/** @import { ScriptEvent } from "./script.js" */

const PREFILL_STEPS = 4;

/** How long events may follow each other before the event loop gets its turn, ms. */
const SLICE_MS = 4;

/** Text that may wait for a slow page before an undelayed script waits too, code units. */
const ROOM = 64 * 1024;

/** @typedef {{ before: string, events: ScriptEvent[], count: number }} Played  what was said before, and `count` of the events */

/** @implements {Engine} */
export class ScriptedEngine {
  /** @type {ScriptEvent[][]} */
  #answers = [];
  #next = 0;
  /** The last answer, to go on with. @type {Played | null} */
  #last = null;

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
  async generate({ sampling, continues }, answer) {
    const { before } = answer;
    const events = (continues && this.#left(before)) || this.#following();
    const player = new Player(answer, sampling.maxTokens ?? Infinity);
    try {
      return await player.playAll(events);
    } finally {
      this.#last = { before, events, count: player.played };
    }
  }

  /** A script has no tokenizer: its words are counted. @param {string} text @returns {Promise<TokenCount>} */
  async count(text) {
    return { tokens: text.match(/\S+/g)?.length ?? 0, isAtLeast: false };
  }

  forget() {
    this.#last = null;
  }

  /** The next prompt's answer. */
  #following() {
    return this.#answers[this.#next++ % this.#answers.length] ?? [];
  }

  /**
   * The last answer goes on where it was cut; any other, as after a reload, where its text says.
   * @param {string} said
   */
  #left(said) {
    if (this.#last && said === saidIn(this.#last)) return this.#last.events.slice(this.#last.count);
    for (const events of said ? this.#answers : []) {
      const left = eventsAfter(events, said);
      if (left) return left;
    }
    return null;
  }
}

/** @param {Played} played */
const saidIn = ({ before, events, count }) =>
  before + events.slice(0, count).map(({ text = "" }) => text).join("");

/** Keeps the time of one answer. */
class Player {
  #dueAt = performance.now();
  #yieldedAt = performance.now();
  #tokens = 0;
  /** Events that need not be played again. */
  played = 0;

  /**
   * @param {Answer} answer
   * @param {number} maxTokens
   */
  constructor(answer, maxTokens) {
    this.answer = answer;
    this.maxTokens = maxTokens;
  }

  /**
   * @param {ScriptEvent[]} events
   * @returns {Promise<EndReason>}
   */
  async playAll(events) {
    for (const event of events) {
      const end = await this.#play(event);
      if (end) return end;
    }
    return "eos";
  }

  /**
   * @param {ScriptEvent} event
   * @returns {Promise<EndReason | null>}
   */
  async #play(event) {
    if (event.prefill_ms !== undefined) await this.#prefill(event.prefill_ms);
    if (event.stall_ms !== undefined) await this.#wait(event.stall_ms);
    const end = event.text === undefined ? null : await this.#token(event.text, event.delay_ms ?? 0);
    if (end) return end;
    this.played += 1;
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
   * @returns {Promise<EndReason | null>}
   */
  async #token(text, delayMs) {
    if (delayMs > 0) await this.#wait(delayMs);
    else await this.#room().then(() => this.#turn());
    if (this.answer.signal.aborted) return "stopped";
    this.#tokens += 1;
    return this.answer.token(text) ? "stop-string" : null;
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
