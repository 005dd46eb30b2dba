/** @file Tasks that held the page for more than 50 ms, and whose they were. */

import { wallClock } from "../../../worker/protocol.js";
import { say } from "../../words.js";
import { WINDOW_MS } from "../meter.js";
import { ms } from "../amounts.js";
import { Recent, sum } from "../recent.js";

/** @import { Cell, Meter } from "../meter.js" */

/**
 * What TypeScript does not know yet of the Long Animation Frames API.
 * @typedef {{ sourceURL: string, sourceFunctionName: string, invoker: string, duration: number }} Script
 * @typedef {PerformanceEntry & { scripts: Script[] }} LongFrame
 */

/** @implements {Meter} */
export class Tasks {
  #longMs = new Recent();
  #longestMs = 0;
  #longestFrameMs = 0;
  #longestIn = "";
  #isSupported = isSupported("longtask");
  /** @type {PerformanceObserver[]} */
  #observers = [];

  /** @type {Cell[]} */
  cells = [
    {
      stage: null,
      label: say("longest task"),
      definition: say(
        "The longest task over 50 ms of the page's main thread since the gauges were opened, and the script that took most of the longest frame. A dash: there was none, or this browser does not tell.",
      ),
      shown: ({ longestTaskMs, longestTaskIn }) => (longestTaskMs ? `${ms(longestTaskMs)} ${longestTaskIn}` : ms(null)),
    },
  ];

  start() {
    this.#observe("longtask", (task) => this.#task(task));
    this.#observe("long-animation-frame", (frame) => this.#frame(/** @type {LongFrame} */ (frame)));
  }

  stop() {
    for (const observer of this.#observers.splice(0)) observer.disconnect();
  }

  /** @param {number} since */
  figures(since) {
    return {
      longestTaskMs: this.#isSupported ? this.#longestMs : null,
      longestTaskIn: this.#longestIn,
      longTaskShare: this.#isSupported ? sum(this.#longMs.values(since)) / WINDOW_MS : null,
    };
  }

  samples() {
    return { longTaskMs: this.#longMs.values() };
  }

  /**
   * @param {string} type
   * @param {(entry: PerformanceEntry) => void} each
   */
  #observe(type, each) {
    if (!isSupported(type)) return;
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(each));
    observer.observe({ type });
    this.#observers.push(observer);
  }

  /** @param {PerformanceEntry} task */
  #task({ duration }) {
    this.#longMs.add(wallClock(), duration);
    this.#longestMs = Math.max(this.#longestMs, duration);
  }

  /** @param {LongFrame} frame */
  #frame({ duration, scripts }) {
    if (duration <= this.#longestFrameMs) return;
    this.#longestFrameMs = duration;
    const [longest] = [...scripts].sort((a, b) => b.duration - a.duration);
    this.#longestIn = longest ? nameOf(longest) : "";
  }
}

/** @param {string} type */
const isSupported = (type) => PerformanceObserver.supportedEntryTypes.includes(type);

/** @param {Script} script */
function nameOf({ sourceURL, sourceFunctionName, invoker }) {
  const file = sourceURL.split(/[?#]/)[0]?.split("/").at(-1);
  return [file, sourceFunctionName].filter(Boolean).join(" ") || invoker;
}
