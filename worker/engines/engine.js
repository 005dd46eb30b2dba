/**
 * @file What an engine is: one file per implementation beside this one.
 *
 * @import { Answer } from "../answer.js"
 * @import { EndReason, Generate, Load, LoadStage, Ready, TokenCount } from "../protocol.js"
 *
 * @typedef {object} LoadReport
 * @property {(stage: LoadStage, doneBytes: number, totalBytes: number, note?: string) => void} progress
 * @property {(error: unknown) => void} lost  the device is gone; the worker is of no more use
 *
 * @typedef {Omit<Ready, "type" | "engine">} Loaded
 *
 * @typedef {object} Engine
 * @property {(request: Load, report: LoadReport) => Promise<Loaded>} load
 *   Called once. Throws EngineError; the worker is then discarded.
 * @property {(request: Generate, answer: Answer) => Promise<EndReason>} generate
 *   Calls `answer.prompt`, `answer.prefill` and `answer.token`, gives the event
 *   loop a macrotask at every step, returns "stopped" at the first step after
 *   `answer.signal` aborts, and "stop-string" when `answer.token` says so. One
 *   at a time. Works again after any end, and goes on with an answer that was cut.
 * @property {(text: string) => Promise<TokenCount>} count  also while an answer is made
 * @property {() => void} forget  drops what it keeps of earlier conversations; called between answers
 */

export {};
