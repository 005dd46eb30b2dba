// Runs a GGUF file in the engine's own session, in Node: a request a line, {file, pieceBytes, ids,
// chunks, threads, cache, context}. The file is poured in pieces; chunks says how many ids go into
// each step. Answers with the logits after each step, in base64, or with the error's code and
// message and how many bytes had been poured.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Machine } from "../../worker/engines/gguf/machine.js";
import { PouredFile } from "../../worker/engines/gguf/poured.js";
import { GgufSession } from "../../worker/engines/gguf/session.js";
import { startThreads } from "./threads.mjs";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));

/** @param {any} request */
async function run({ file, pieceBytes, ids, chunks, threads, cache, context }) {
  const machine = await Machine.start(module);
  const poured = pour(machine, new Uint8Array(readFileSync(file)), pieceBytes);
  const sha256 = await poured.digest();
  const end = await startThreads(machine, threads);
  const session = new GgufSession(machine, poured.network, poured.at, { context, threads, cache });
  const reused = [];
  const logits = [];
  for (const part of ids) {
    let from = session.reuse(part);
    reused.push(from);
    for (const count of chunks) {
      if (from >= part.length) break;
      const row = await session.step(part.slice(from, from + count));
      logits.push(Buffer.from(Float32Array.from(row).buffer).toString("base64"));
      from += count;
    }
  }
  end();
  return { logits, reused, sha256 };
}

/** @param {Machine} machine @param {Uint8Array} bytes @param {number} pieceBytes */
function pour(machine, bytes, pieceBytes) {
  const poured = new PouredFile(machine);
  // As after a try that was cut, and of which something else is left.
  poured.begin(bytes.length);
  poured.write(new Uint8Array(Math.min(100, bytes.length)).fill(255), 0);
  poured.begin(bytes.length);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    try {
      poured.write(bytes.subarray(at, at + pieceBytes), at);
    } catch (error) {
      throw Object.assign(error, { pouredBytes: at });
    }
  }
  return poured;
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await run(JSON.parse(line)).catch(({ code, message, pouredBytes }) => ({ error: { code, message, pouredBytes } }));
  console.log(JSON.stringify(answer));
}
