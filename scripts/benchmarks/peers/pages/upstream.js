/** @file What every page here reads from: OpenAI's chat completions, as server-sent events. */

/** The address that ?upstream= names, without the path of the API. */
export const upstream = new URL(location.href).searchParams.get("upstream") ?? location.origin;

/**
 * @typedef {{ role: "user" | "assistant", content: string }} Message
 */

/**
 * The text of one answer, an event's at a time.
 * @param {Message[]} messages  the conversation; the last is the user's
 * @param {AbortSignal} signal  ends it, and the request
 */
export async function* answerTo(messages, signal) {
  const response = await fetch(`${upstream}/v1/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ model: "pace", messages, stream: true }),
    signal,
  });
  if (!response.ok) throw new Error(`the upstream answered ${response.status}`);
  for await (const line of linesOf(response.body)) {
    if (!line.startsWith("data:")) continue;
    const event = line.slice(5).trim();
    if (event === "[DONE]") return;
    const { choices, error } = JSON.parse(event);
    if (error) throw new Error(error.message);
    const text = choices?.[0]?.delta?.content;
    if (text) yield text;
  }
}

async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split("\n");
    rest = lines.pop();
    yield* lines;
  }
  if (rest) yield rest;
}
