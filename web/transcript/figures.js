/** @file An answer's figures in words. */

import { say } from "../words.js";

/** @import { Figures } from "../../worker/protocol.js" */

/** What the figures mean, and between which two moments they lie. */
export const DEFINITIONS =
  "tokens/s: (tokens − 1) ÷ the time from the first token to the last, in the worker. " +
  "TTFT: from the worker's receipt of the prompt to its first token.";

/** @param {Figures} figures */
export function inWords({ reason, tokens, tokensPerS, ttftMs, promptTokens, reusedTokens }) {
  const parts = [counted(tokens)];
  if (tokensPerS > 0) parts.push(rate(tokensPerS));
  if (ttftMs > 0) parts.push(say("TTFT {seconds} s", { seconds: (ttftMs / 1000).toFixed(2) }));
  if (promptTokens > 0) parts.push(ofPrompt(promptTokens, reusedTokens));
  if (reason === "stopped") parts.push(say("stopped"));
  if (reason === "stop-string") parts.push(say("ended at a stop string"));
  if (reason === "length") parts.push(say("ended at its limit"));
  return parts.join(" · ");
}

/**
 * Of an answer that is being written, as the page sees it.
 * @param {number} tokens
 * @param {number} perS
 */
export const liveFigures = (tokens, perS) => `${counted(tokens)} · ${rate(perS)}`;

/** @param {number} count */
const counted = (count) => (count === 1 ? say("{count} token", { count }) : say("{count} tokens", { count }));

/** @param {number} perS */
const rate = (perS) => say("{rate} tokens/s", { rate: perS.toFixed(1) });

/**
 * @param {number} count
 * @param {number} reused
 */
function ofPrompt(count, reused) {
  return reused ? say("{count} in the prompt, {reused} reused", { count, reused }) : say("{count} in the prompt", { count });
}
