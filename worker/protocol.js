/**
 * @file The messages between page and worker: the whole contract of the two
 * threads. Both import this file, so it uses neither DOM nor worker globals.
 *
 * Times are `wallClock()` milliseconds: the two threads' `performance.now()`
 * start at different moments and cannot be compared.
 *
 * One worker serves one backend. It is loaded once and never loaded again: a
 * failed WebGPU start leaves ONNX Runtime's module unusable, and a Wasm heap
 * never shrinks, so another attempt is another worker.
 *
 * ```
 *  page                               worker
 *   │ load ─────────────────────────▶ │
 *   │ ◀───────────────── alive        │  holds the lock that says so
 *   │ ◀───────────────── loading … *  │
 *   │ ◀───────────────── ready        │  or failed (id null)
 *   │ generate ─────────────────────▶ │
 *   │ ◀───────────────── prefill … *  │
 *   │ ◀───────────────── text … *     │  at most MAX_UNPAINTED unacknowledged
 *   │ painted … * ──────────────────▶ │
 *   │ stop? ────────────────────────▶ │
 *   │ ◀───────────────── done         │  or failed (with the id)
 *   │ count ────────────────────────▶ │  at any time once it is ready, one under way
 *   │ ◀───────────────── counted      │
 * ```
 */

/**
 * What the user asked of the page.
 * @typedef {"auto" | "webgpu" | "wasm"} DeviceChoice
 *
 * What a worker runs on. The scripted engine runs on none.
 * @typedef {"webgpu" | "wasm" | "script"} Device
 *
 * What computes: kernels of our own on a CPU, transformers.js on a CPU or GPU, or nothing.
 * @typedef {"gguf" | "transformers" | "scripted"} EngineName
 *
 * @typedef {object} ModelRef
 * @property {string} id
 * @property {string} revision
 *
 * @typedef {object} ChatMessage
 * @property {"system" | "user" | "assistant"} role
 * @property {string} content
 *
 * @typedef {object} Failure  an error as data, as it crosses threads
 * @property {string} code
 * @property {string} message  what happened, to what
 * @property {string} hint     the way out; may be empty
 */

/**
 * To the worker.
 *
 * @typedef {object} Load
 * @property {"load"} type
 * @property {EngineName} engine
 * @property {Device} device
 * @property {number} threads           Wasm threads, at least 1
 * @property {ModelRef | null} model    null for the scripted engine
 * @property {string | null} script     where the scripted engine finds its script
 *
 * @typedef {object} Generate
 * @property {"generate"} type
 * @property {number} id
 * @property {ChatMessage[]} messages
 * @property {Sampling} sampling
 * @property {boolean} continues        the last message is the assistant's, unfinished: the answer is what comes after it
 *
 * @typedef {object} Sampling           in the order it is applied; sampling.js has the ranges
 * @property {number | null} maxTokens  null: the engine's own limit
 * @property {number} repetitionPenalty 1: off
 * @property {number} temperature       0: greedy
 * @property {number} topK              0: off
 * @property {number} topP              1: off
 * @property {number | null} seed       null: a new one each time
 * @property {string[]} stop            texts that end the answer and are no part of it; none: []
 *
 * @typedef {{ type: "stop", id: number }} Stop
 *
 * @typedef {object} Painted
 * @property {"painted"} type
 * @property {number} id
 * @property {number} batch   the newest batch on the screen
 *
 * @typedef {{ type: "forget" }} Forget  drop what is kept of earlier conversations
 *
 * @typedef {object} Count
 * @property {"count"} type
 * @property {number} id
 * @property {string} text
 *
 * @typedef {Load | Generate | Stop | Painted | Forget | Count} ToWorker
 */

/**
 * From the worker.
 *
 * @typedef {object} Alive
 * @property {"alive"} type
 * @property {string} lock   a Web Lock the worker holds for as long as it lives
 *
 * @typedef {"fetch" | "verify" | "session" | "warm-up"} LoadStage
 *
 * @typedef {object} Loading
 * @property {"loading"} type
 * @property {LoadStage} stage
 * @property {number} doneBytes
 * @property {number} totalBytes   0: unknown
 * @property {string} note         for the user; may be empty
 *
 * @typedef {object} Ready
 * @property {"ready"} type
 * @property {EngineName} engine
 * @property {Device} device
 * @property {number} threads
 * @property {number} contextWindow      tokens
 * @property {string} adapter            the GPU's description; may be empty
 * @property {Record<string, number>} loadMs  per stage, and "total"
 *
 * @typedef {object} Prefill
 * @property {"prefill"} type
 * @property {number} id
 * @property {number} done    prompt tokens computed so far
 * @property {number} total   prompt tokens to compute; those found in the KV cache are not counted
 *
 * @typedef {object} Text
 * @property {"text"} type
 * @property {number} id
 * @property {number} batch    1, 2, 3, … within the answer
 * @property {string} text     new text, never empty
 * @property {number} tokens   how many tokens it took
 * @property {number} sentAt   ms
 *
 * @typedef {"eos" | "length" | "stopped" | "stop-string"} EndReason
 *
 * @typedef {object} Figures
 * @property {EndReason} reason
 * @property {number} promptTokens   in the prompt, with the template's own and those of an answer that is continued
 * @property {number} reusedTokens   of those, found in the KV cache
 * @property {number} tokens         decoded
 * @property {number} ttftMs         from `generate` received to the first token known; 0 when there was none
 * @property {number} decodeMs       from the first token to the last
 * @property {number} tokensPerS     (tokens − 1) ÷ decodeMs; 0 below two tokens
 *
 * @typedef {object} Done
 * @property {"done"} type
 * @property {number} id
 * @property {string} text     the last text; it needs no acknowledgement
 * @property {number} tokens   in `text`
 * @property {Figures} figures
 *
 * @typedef {object} Failed
 * @property {"failed"} type
 * @property {number | null} id   null: the worker itself failed, in loading or later
 * @property {string} text        the last text decoded before the failure
 * @property {number} tokens
 * @property {Failure} failure
 *
 * @typedef {object} TokenCount
 * @property {number} tokens       of a text by itself, without a template
 * @property {boolean} isAtLeast   it was not counted to its end: it has more than the context window holds
 *
 * @typedef {object} Counted
 * @property {"counted"} type
 * @property {number} id
 * @property {TokenCount | null} count   null: the engine cannot tell
 *
 * @typedef {Alive | Loading | Ready | Prefill | Text | Done | Failed | Counted} FromWorker
 */

/** Batches that may be on their way or waiting for a frame; further text pools in the worker. */
export const MAX_UNPAINTED = 2;

/** The least time between two text messages: a frame at 60 Hz. */
export const FRAME_MS = 16;

/** Milliseconds since the epoch, comparable between threads, sub-millisecond. */
export const wallClock = () => performance.timeOrigin + performance.now();

/**
 * For the `default` of a switch over message types: tsc rejects the call when
 * a type was left out.
 * @param {never} message
 * @returns {never}
 */
export function unreachable(message) {
  throw new TypeError(`unknown message: ${JSON.stringify(message)}`);
}
