import assert from "node:assert/strict";
import { test } from "node:test";
import { Answer } from "../../worker/answer.js";
import { ScriptedEngine } from "../../worker/engines/scripted.js";
import { eventsAfter } from "../../worker/engines/script.js";

const OFF = { maxTokens: null, repetitionPenalty: 1, temperature: 0, topK: 0, topP: 1, seed: null, stop: [] };
const ASKED = { role: "user", content: "go" };

/** The real engine on a script of these answers. */
async function engineOf(...answers) {
  const lines = answers.flatMap((events) => [...events, { end: true }]).map((event) => JSON.stringify(event));
  const engine = new ScriptedEngine();
  await engine.load({ script: `data:,${encodeURIComponent(lines.join("\n"))}` });
  return engine;
}

const words = (...texts) => texts.map((text) => ({ text }));

/**
 * One answer as the page receives it. `continued` is what it has already; `stop…` presses Stop with
 * that token, or in what the script does after it.
 */
async function ask(engine, { continued, stopWith, stopAfter, ...sampling } = {}) {
  const continues = continued !== undefined;
  const messages = continues ? [ASKED, { role: "assistant", content: continued }] : [ASKED];
  const request = { type: "generate", id: 1, messages, continues, sampling: { ...OFF, ...sampling } };
  return run(engine, request, (count, stop) => {
    if (count === stopWith) stop();
    if (count === stopAfter) setTimeout(stop); // no other task is between a token and the stall after it
  });
}

async function run(engine, request, onToken = () => {}) {
  let text = "";
  let tokens = 0;
  let last = null;
  const answer = new Answer(request, (message) => {
    text += message.text ?? "";
    tokens += message.tokens ?? 0;
    if (message.type === "text") queueMicrotask(() => answer.batcher.painted(message.batch));
    else if (message.type !== "prefill") last = message;
  });
  const token = answer.token.bind(answer);
  let count = 0;
  answer.token = (piece) => {
    const isWhole = token(piece);
    onToken(++count, () => answer.stop());
    return isWhole;
  };
  await answer.run(engine);
  assert.equal(tokens, last.figures?.tokens ?? tokens);
  return { text, reason: last.figures?.reason ?? last.failure.code, tokens };
}

test("a stop string ends the answer with the token that completes it", async () => {
  const engine = await engineOf(words("one ", "tw", "o", " three"), words("next"));
  assert.deepEqual(await ask(engine, { stop: ["two"] }), { text: "one ", reason: "stop-string", tokens: 3 });
  assert.deepEqual(await ask(engine), { text: "next", reason: "eos", tokens: 1 });
});

test("what may have become a stop string is shown when the answer ends without it", async () => {
  const cut = [{ text: "one " }, { text: "tw" }];
  const engine = await engineOf(cut, cut, [...cut, { error: "broken" }], [...cut, { stall_ms: 60_000 }]);
  const stop = ["two"];
  assert.deepEqual(await ask(engine, { stop }), { text: "one tw", reason: "eos", tokens: 2 });
  assert.deepEqual(await ask(engine, { stop, maxTokens: 2 }), { text: "one tw", reason: "length", tokens: 2 });
  assert.deepEqual(await ask(engine, { stop }), { text: "one tw", reason: "script_error", tokens: 2 });
  assert.deepEqual(await ask(engine, { stop, stopAfter: 2 }), { text: "one tw", reason: "stopped", tokens: 2 });
});

test("a stopped answer goes on where it was cut, at every token", async () => {
  const texts = Array.from({ length: 12 }, (_, i) => `w${i} `);
  for (let cut = 1; cut < texts.length; cut++) {
    const engine = await engineOf(words(...texts), words("next"));
    const { text, reason } = await ask(engine, { stopWith: cut });
    assert.deepEqual({ text, reason }, { text: texts.slice(0, cut).join(""), reason: "stopped" });
    const rest = await ask(engine, { continued: text });
    assert.deepEqual(rest, { text: texts.slice(cut).join(""), reason: "eos", tokens: texts.length - cut });
    assert.equal((await ask(engine)).text, "next", "the next prompt plays what follows");
  }
});

test("a stall that was stopped is over; a token that was waited for is not", async () => {
  const stalled = await engineOf([...words("a "), { stall_ms: 60_000 }, ...words("b")]);
  assert.equal((await ask(stalled, { stopAfter: 1 })).reason, "stopped");
  assert.deepEqual(await ask(stalled, { continued: "a " }), { text: "b", reason: "eos", tokens: 1 });
  const waiting = await engineOf(words("a ", "x"), [...words("a "), { text: "b ", delay_ms: 200 }, ...words("c")]);
  await ask(waiting);
  assert.deepEqual(await ask(waiting, { stopAfter: 1 }), { text: "a ", reason: "stopped", tokens: 1 });
  assert.deepEqual(await ask(waiting, { continued: "a " }), { text: "b c", reason: "eos", tokens: 2 });
});

test("an answer at its limit goes on, again and again, and not as one that begins alike", async () => {
  const engine = await engineOf(words("a ", "b ", "c ", "d ", "x"), words("a ", "b ", "c ", "d ", "e"), words("next"));
  await ask(engine);
  let text = (await ask(engine, { maxTokens: 2 })).text;
  const second = await ask(engine, { continued: text, maxTokens: 2 });
  assert.deepEqual(second, { text: "c d ", reason: "length", tokens: 2 });
  text += second.text;
  assert.deepEqual(await ask(engine, { continued: text }), { text: "e", reason: "eos", tokens: 1 });
  assert.deepEqual(await ask(engine, { continued: `${text}e` }), { text: "", reason: "eos", tokens: 0 });
  assert.equal((await ask(engine)).text, "next");
});

test("a failed answer goes on after its fault", async () => {
  const engine = await engineOf([...words("a "), { error: "broken" }, ...words("b")]);
  assert.deepEqual(await ask(engine), { text: "a ", reason: "script_error", tokens: 1 });
  assert.deepEqual(await ask(engine, { continued: "a " }), { text: "b", reason: "eos", tokens: 1 });
});

test("an engine that never saw the answer finds it by its text, inside a token too", async () => {
  const script = [words("first"), words("one ", "two ", "three")];
  assert.equal((await ask(await engineOf(...script), { continued: "one " })).text, "two three");
  assert.equal((await ask(await engineOf(...script), { continued: "one tw" })).text, "o three");
  const stranger = await engineOf(...script);
  assert.equal((await ask(stranger, { continued: "never said" })).text, "first", "else the next answer is played");
});

test("after a stop string the answer can go on from what was shown", async () => {
  const engine = await engineOf(words("one tw", "o END", " three"));
  const { text } = await ask(engine, { stop: ["END"] });
  assert.equal(text, "one two ");
  assert.equal((await ask(engine, { continued: text })).text, "END three");
});

test("forgotten answers go on by their text alone", async () => {
  const engine = await engineOf([...words("a "), { error: "broken" }, ...words("b")]);
  await ask(engine);
  engine.forget();
  assert.equal((await ask(engine, { continued: "a " })).reason, "script_error", "the fault is not over for it");
});

test("what an answer has left, for every length said", () => {
  const answer = words("ab", "", "cde");
  const whole = "abcde";
  for (let length = 0; length <= whole.length; length++) {
    const left = eventsAfter(answer, whole.slice(0, length));
    assert.equal(left.map(({ text }) => text).join(""), whole.slice(length));
  }
  for (const other of ["b", "abx", "abcdef"]) assert.equal(eventsAfter(answer, other), null);
});

test("what is no answer cannot be continued, and a bad setting is refused before anything is played", async () => {
  const engine = await engineOf(words("first"));
  const refused = { text: "", reason: "not_continuable", tokens: 0 };
  assert.deepEqual(await run(engine, { messages: [ASKED], continues: true, sampling: OFF }), refused);
  assert.equal((await ask(engine, { topP: 2 })).reason, "sampling_invalid");
  assert.equal((await ask(engine)).text, "first");
});

test("words are counted, however they are spaced", async () => {
  const engine = await engineOf(words("first"));
  assert.deepEqual(await engine.count("  one two\n\nthree "), { tokens: 3, isAtLeast: false });
  assert.deepEqual(await engine.count(""), { tokens: 0, isAtLeast: false });
});
