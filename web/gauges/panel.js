/** @file The gauges while they are open: from the first figure to the last listener taken away. */

import { wallClock } from "../../worker/protocol.js";
import { saveFile } from "../saving.js";
import { say } from "../words.js";
import { Board, definitions, element } from "./board.js";
import { Flow } from "./flow.js";
import { figuresOf, WINDOW_MS } from "./meter.js";
import { newMeters } from "./meters.js";
import { Cost } from "./meters/cost.js";
import { asFile, fileName, record } from "./record.js";
import { judge, Steady } from "./verdict.js";

/** Four times a second: as fast as figures can be read. */
const EVERY_MS = 250;

/**
 * While text streams the figures are written in a frame that shows text: a
 * frame of their own would cost several times what they do. Where none comes, and
 * while nothing streams, they are written at the next tick.
 */
export class Panel {
  #openedAt = wallClock();
  #cost = new Cost();
  #meters = newMeters(this.#cost);
  #flow = new Flow(this.#meters, this.#cost, () => this.#isDue && this.#update());
  #steady = new Steady();
  #verdict = element("p", "verdict");
  #isDue = false;
  #lookedAt = wallClock();
  #busySince = 0;
  #wasBusy = false;

  /**
   * Opens.
   * @param {HTMLElement} container
   * @param {{ readonly busy: boolean }} client
   * @param {() => void} onClose
   */
  constructor(container, client, onClose) {
    this.client = client;
    this.onClose = onClose;
    this.opener = document.activeElement;
    const cells = this.#meters.flatMap((meter) => meter.cells);
    this.board = new Board(cells);
    this.#verdict.setAttribute("aria-live", "polite");
    this.element = element("aside", "gauges", this.#bar(), this.board.way, this.board.rest, definitions(cells));
    this.element.setAttribute("role", "region");
    this.element.setAttribute("aria-label", say("Gauges"));
    this.element.dataset["testid"] = "gauges";
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    container.append(this.element);
    this.#flow.start();
    this.timer = setInterval(() => this.#tick(), EVERY_MS);
    this.#update();
  }

  /** Takes everything away. */
  close() {
    clearInterval(this.timer);
    this.#flow.stop();
    const hadFocus = this.element.contains(document.activeElement);
    this.element.remove();
    if (hadFocus && this.opener instanceof HTMLElement) this.opener.focus();
    this.onClose();
  }

  #bar() {
    const save = element("button", "quiet", say("Save as JSON"));
    const close = element("button", "quiet", say("Close"));
    save.type = close.type = "button";
    save.addEventListener("click", () => this.#save());
    close.addEventListener("click", () => this.close());
    return element("div", "bar", element("h2", "", say("Gauges")), this.#verdict, save, close);
  }

  /** Escape here is not meant for the answer. @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== "Escape" || event.isComposing) return;
    event.stopPropagation();
    this.close();
  }

  #tick() {
    if (document.hidden) return;
    if (this.#isDue || !this.client.busy) this.#update();
    else this.#isDue = true;
  }

  #update() {
    const startedAt = wallClock();
    const { figures, verdict } = this.#look();
    this.board.write(figures, verdict.stage);
    if (this.#verdict.textContent !== verdict.words) this.#verdict.textContent = verdict.words;
    this.#isDue = false;
    this.#cost.add(wallClock() - startedAt);
  }

  #look() {
    const [now, isBusy] = [wallClock(), this.client.busy];
    if (isBusy && !this.#wasBusy) this.#busySince = this.#lookedAt;
    if (!isBusy && !this.#wasBusy) for (const meter of this.#meters) meter.rest?.();
    this.#wasBusy = isBusy;
    this.#lookedAt = now;
    const until = isBusy ? now : this.#flow.lastAt;
    const figures = figuresOf(this.#meters, Math.max(until - WINDOW_MS, this.#busySince));
    return { figures, verdict: this.#steady.hold(judge(figures, isBusy)), openMs: now - this.#openedAt };
  }

  #save() {
    const saved = record(this.#look(), this.#flow.counts, this.#meters);
    saveFile(asFile(saved), fileName(saved));
  }
}
