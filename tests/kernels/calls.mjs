// Calls what the module exports, a request a line: {call, args}. An argument is a number, {bytes} in
// base64 or {room}, a count of bytes; of the last two the address is passed. The answer has all of
// their bytes afterwards, and whether what lies behind them is still as it was.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const GUARD = 64;

const memory = new WebAssembly.Memory({ initial: 1024, maximum: 65535, shared: true });
const module = await WebAssembly.instantiate(readFileSync(process.argv[2]), { env: { memory } });
const { exports } = module.instance;

/** @param {number} address @param {number} size */
const bytesAt = (address, size) => new Uint8Array(memory.buffer, address, size);

/** @param {any[]} args */
function placed(args) {
  let next = exports.__heap_base.value;
  return args.map((argument) => {
    if (typeof argument === "number") return { value: argument };
    const bytes = "bytes" in argument ? Buffer.from(argument.bytes, "base64") : Buffer.alloc(argument.room, 0xcc);
    const address = Math.ceil(next / 64) * 64;
    next = address + bytes.length + GUARD;
    const pages = Math.ceil((next - memory.buffer.byteLength) / 65536);
    if (pages > 0) memory.grow(pages);
    bytesAt(address, bytes.length).set(bytes);
    bytesAt(address + bytes.length, GUARD).fill(0xa5);
    return { value: address, size: bytes.length };
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { call, args } = JSON.parse(line);
  const places = placed(args);
  exports[call](...places.map(({ value }) => value));
  const held = places.filter(({ size }) => size !== undefined);
  const answer = {
    bytes: held.map(({ value, size }) => Buffer.from(bytesAt(value, size)).toString("base64")),
    guarded: held.every(({ value, size }) => bytesAt(value + size, GUARD).every((byte) => byte === 0xa5)),
  };
  console.log(JSON.stringify(answer));
}
