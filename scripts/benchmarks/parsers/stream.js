/** @file Streams one text through one parser and prints what it cost: `node stream.js REPOSITORY PARSER TEXT`. */

import { PARSERS } from "./parsers.js";
import { PARTS, TEXTS } from "./texts.js";

const PIECE = 4;
/** The system counts a thread's CPU in steps of some milliseconds: what is faster is played again. */
const LEAST_MS = 3000;

const [repository, parser, text] = process.argv.slice(2);
const { kind, opening, part } = await TEXTS[text](repository);
const stride = PARSERS[parser].oneIn[kind] * PIECE;

/**
 * CPU of each part, in ms.
 * @param {number} parts
 */
async function costs(parts) {
  const whole = opening + part.repeat(parts);
  const { update, headings } = await PARSERS[parser].make(repository);
  if (opening) update(whole, 0, opening.length);
  const begins = Array.from({ length: parts }, (_, at) => opening.length + at * part.length);
  const ms = begins.map((from) => costOf((a, b) => update(whole, a, b), from, from + part.length));
  return { ms, headings: headings() };
}

/**
 * @param {(from: number, to: number) => void} update
 * @param {number} from
 * @param {number} end
 */
function costOf(update, from, end) {
  if (stride === PIECE) {
    return spent(() => {
      for (let at = from; at < end; at += PIECE) update(at, Math.min(at + PIECE, end));
    });
  }
  let ms = 0;
  for (let at = from; at < end; at += stride) {
    const last = Math.min(at + stride, end);
    update(at, last - PIECE);
    ms += spent(() => update(last - PIECE, last)) * (stride / PIECE);
  }
  return ms;
}

/**
 * CPU of this thread, in ms: what the collector and the compiler do on others is not in it.
 * @param {() => void} work
 */
function spent(work) {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

// A page has compiled what it needs after one answer.
await costs(1);
const found = [];
let totalMs = 0;
while (totalMs < LEAST_MS) {
  found.push(await costs(PARTS));
  for (const ms of /** @type {{ ms: number[] }} */ (found.at(-1)).ms) totalMs += ms;
}
const ms = found[0].ms.map((_, at) => found.reduce((sum, one) => sum + one.ms[at], 0) / found.length);
console.log(JSON.stringify({ ms, updates: Math.ceil(part.length / PIECE), headings: found[0].headings }));
