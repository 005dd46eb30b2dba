/** @file TeX as MathML, by temml: fetched when the first formula comes, and never given much time. */

import { pause, workSoon } from "../slices.js";

/** Longer is shown as it is written: what it would cost is not known beforehand. */
const MOST_LENGTH = 2000;
// It draws boxes as large, and expands macros as often, as a formula could mean.
const OPTIONS = { throwOnError: true, strict: false, trust: false, maxSize: [20, 20], maxExpand: 200 };

/** @typedef {{ element: HTMLElement, text: string, isDisplay: boolean }} Formula */

/** @type {{ render(text: string, element: HTMLElement, options: object): void } | null} */
let temml = null;
/** @type {Promise<void> | null} */
let loading = null;
/** @type {Formula[]} */
const waiting = [];

/**
 * The formula; its source, until it can be drawn.
 * @param {string} text
 * @param {boolean} isDisplay
 */
export function formulaElement(text, isDisplay) {
  const element = document.createElement("span");
  element.className = isDisplay ? "math display" : "math";
  element.textContent = text;
  if (text.length > MOST_LENGTH) return element;
  waiting.push({ element, text, isDisplay });
  if (temml) workSoon(drawing);
  else loading ??= load().catch(giveUp);
  return element;
}

/** Once all that waits is drawn. */
export async function formulasDrawn() {
  await loading;
  await pause();
}

async function load() {
  const { href } = new URL("../vendor/temml/temml.mjs", import.meta.url);
  temml = (await import(href)).default;
  workSoon(drawing);
}

/**
 * What waits stays as it is written, and says why; the next formula tries again.
 * @param {unknown} error
 */
function giveUp(error) {
  loading = null;
  for (const { element } of waiting.splice(0)) element.title = String(error);
}

const drawing = {
  /** @param {() => boolean} hasTime */
  work(hasTime) {
    while (waiting.length > 0 && hasTime()) draw(/** @type {Formula} */ (waiting.shift()));
    return waiting.length === 0;
  },
};

/** @param {Formula} formula */
function draw({ element, text, isDisplay }) {
  try {
    temml?.render(text, element, { ...OPTIONS, displayMode: isDisplay });
    element.classList.add("drawn");
  } catch (error) {
    // As text again: never as markup, whatever it was.
    element.textContent = text;
    element.title = String(error);
  }
}
