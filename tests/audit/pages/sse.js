// The answer's text out of an OpenAI-compatible stream, however its bytes are cut.

/**
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<string>} one delta's content at a time
 */
export async function* deltas(body) {
  for await (const line of lines(body)) {
    if (!line.startsWith("data:")) continue; // comments, event names, blank lines
    const data = line.slice("data:".length).trim();
    if (data === "[DONE]") return;
    if (!data) continue;
    const event = JSON.parse(data);
    if (event.error) throw new Error(event.error.message ?? String(event.error));
    const piece = event.choices?.[0]?.delta?.content;
    if (piece) yield piece;
  }
}

/** @param {ReadableStream<Uint8Array>} body */
async function* lines(body) {
  const decoder = new TextDecoder(); // keeps the beginning of a character that is cut
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    // A CR at the very end may be half of a CRLF: `trim` and the empty line take care of both.
    const ended = rest.split(/\r\n|\n|\r/);
    rest = done ? "" : (ended.pop() ?? "");
    yield* ended;
    if (done) return;
  }
}
