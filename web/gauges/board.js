/** @file The stages drawn as a row of boxes, each with its figures; the one that limits is marked. */

import { say } from "../words.js";

/** @import { Cell, Figures, Stage } from "./meter.js" */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} name
 * @param {string} className
 * @param {...(Node | string)} children
 */
export function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** @returns {[Stage, string][]} */
const stages = () => [
  ["model", say("Model")],
  ["transport", say("Transport")],
  ["waiting", say("Waiting")],
  ["dom", say("Document")],
  ["paint", say("Screen")],
];

export class Board {
  /** @type {{ node: Text, shown: Cell["shown"] }[]} */
  #values = [];
  /** @type {Map<Stage, HTMLElement>} */
  #boxes = new Map();
  /** @type {Stage | null} */
  #limit = null;

  /** @param {Cell[]} cells */
  constructor(cells) {
    this.way = element("ol", "way");
    for (const [stage, name] of stages()) {
      const box = element("li", "", element("h3", "", name, element("strong", "", say("the limit"))), this.#list(cells, stage));
      box.dataset["stage"] = stage;
      this.#boxes.set(stage, box);
      this.way.append(box);
    }
    this.rest = this.#list(cells, null);
    this.rest.className = "rest";
  }

  /**
   * Touches only what has changed.
   * @param {Figures} figures
   * @param {Stage | null} limit
   */
  write(figures, limit) {
    for (const { node, shown } of this.#values) {
      const text = shown(figures);
      if (node.data !== text) node.data = text;
    }
    if (limit === this.#limit) return;
    this.#limit = limit;
    for (const [stage, box] of this.#boxes) box.classList.toggle("limit", stage === limit);
  }

  /**
   * @param {Cell[]} cells
   * @param {Stage | null} stage
   */
  #list(cells, stage) {
    const list = element("dl", "");
    for (const cell of cells.filter((cell) => cell.stage === stage)) list.append(this.#pair(cell));
    return list;
  }

  /** @param {Cell} cell */
  #pair({ label, definition, shown }) {
    const node = new Text();
    this.#values.push({ node, shown });
    const pair = element("div", "", element("dt", "", label), element("dd", "", node));
    pair.title = definition;
    return pair;
  }
}

/** What the figures mean, where there is no pointer to ask with. @param {Cell[]} cells */
export function definitions(cells) {
  const list = element("dl", "");
  for (const { label, definition } of cells) list.append(element("dt", "", label), element("dd", "", definition));
  return element("details", "", element("summary", "", say("What these mean")), list);
}
