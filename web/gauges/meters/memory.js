/** @file What the page and its worker keep in memory. */

import { say } from "../../words.js";
import { megabytes } from "../amounts.js";

/** @import { Cell, Meter } from "../meter.js" */

/** To measure it the browser collects garbage: seldom enough to be nothing beside an answer. */
const EVERY_MS = 30_000;

/**
 * What TypeScript does not know of: one is only in cross-origin isolated pages, the other only in Chromium.
 * @typedef {object} MemoryOf
 * @property {() => Promise<{ bytes: number }>} [measureUserAgentSpecificMemory]
 * @property {{ usedJSHeapSize: number }} [memory]
 */

const told = /** @type {MemoryOf} */ (/** @type {unknown} */ (performance));
const WHOLE = "measureUserAgentSpecificMemory";
const HEAP = "performance.memory";

/** @implements {Meter} */
export class Memory {
  #isOn = false;
  #by = "";
  /** @type {number | null} */
  #bytes = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @type {Cell[]} */
  cells = [
    {
      stage: null,
      label: say("memory"),
      definition: say(
        "JavaScript and DOM memory of the page and its worker, measured twice a minute; *: the page's own JavaScript alone, where the browser tells no more, or not yet. Memory of the GPU is not in it.",
      ),
      shown: ({ memoryBytes, memoryBy }) => `${megabytes(memoryBytes)}${memoryBy === HEAP ? " *" : ""}`,
    },
  ];

  start() {
    this.#isOn = true;
    void this.#measure();
  }

  stop() {
    this.#isOn = false;
    clearTimeout(this.#timer);
  }

  figures() {
    return { memoryBytes: this.#bytes, memoryBy: this.#by };
  }

  async #measure() {
    if (this.#by !== WHOLE) this.#set(told.memory?.usedJSHeapSize ?? null, HEAP); // the first takes half a minute
    const bytes = await wholeBytes();
    if (!this.#isOn) return;
    if (bytes !== null) this.#set(bytes, WHOLE);
    this.#timer = setTimeout(() => this.#measure(), EVERY_MS);
  }

  /**
   * @param {number | null} bytes
   * @param {string} by
   */
  #set(bytes, by) {
    this.#bytes = bytes;
    this.#by = bytes === null ? "" : by;
  }
}

/** @returns {Promise<number | null>}  null: this browser does not tell */
async function wholeBytes() {
  if (!crossOriginIsolated || !told.measureUserAgentSpecificMemory) return null;
  return told.measureUserAgentSpecificMemory().then(
    ({ bytes }) => bytes,
    () => null,
  );
}
