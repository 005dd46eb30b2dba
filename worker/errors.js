/**
 * @file Errors of the worker. Each says what happened, to what, and the way
 * out; they reach the page as data.
 *
 * Codes: file_missing, server_gone, weights_corrupt, model_invalid,
 * model_unsupported, memory_refused, insecure_context, tokenizer_unsupported, prompt_empty, prompt_too_long, sampling_invalid,
 * not_continuable, session_failed, wrong_answer, device_lost, script_error,
 * script_missing, internal.
 */

/** @import { Failure } from "./protocol.js" */

export class EngineError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {string} [hint]
   */
  constructor(code, message, hint = "") {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/**
 * @param {unknown} error
 * @returns {Failure}
 */
export function toFailure(error) {
  if (error instanceof EngineError) return { code: error.code, message: error.message, hint: error.hint };
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, hint: "Send the prompt again; if it stays, reload the page." };
}
