/** @file What a person has set: the system prompt and the sampling, kept in this browser. */

/** @import { Failure, Sampling } from "../worker/protocol.js" */

/** @typedef {{ system: string, sampling: Sampling, sentences: boolean }} Preferences  sentences: read to a screen reader */

const KEY = "pageside-preferences";

/** A setting that is a number: its least and most value, and what it is when nothing is said. */
const NUMBERS = /** @type {const} */ ({
  temperature: { least: 0, most: 2, usual: 0 },
  topP: { least: 0.01, most: 1, usual: 1 },
  topK: { least: 0, most: 1000, usual: 0 },
  repetitionPenalty: { least: 0.5, most: 2, usual: 1 },
});

/** The same of those that may be left empty. */
const OPTIONAL = /** @type {const} */ ({
  maxTokens: { least: 1, most: 1_000_000 },
  seed: { least: 0, most: 4_294_967_295 },
});

const MOST_STOPS = 8;
const STOP_LENGTH = 200;
const SYSTEM_LENGTH = 100_000;

/** @returns {Preferences} */
const usual = () => read({});

/**
 * Whatever was kept, by whatever version: what is not a possible setting is as if it were not there.
 * @param {any} kept
 * @returns {Preferences}
 */
function read(kept) {
  const { system, sampling: from, sentences } = { system: "", sampling: {}, sentences: false, ...kept };
  const given = from && typeof from === "object" ? from : {};
  /** @type {Record<string, unknown>} */
  const sampling = { stop: stopsOf(given.stop) };
  for (const [name, { least, most, usual }] of Object.entries(NUMBERS)) {
    sampling[name] = isWithin(given[name], least, most) ? given[name] : usual;
  }
  for (const [name, { least, most }] of Object.entries(OPTIONAL)) {
    sampling[name] = isWithin(given[name], least, most) ? Math.floor(given[name]) : null;
  }
  return {
    system: typeof system === "string" ? system.slice(0, SYSTEM_LENGTH) : "",
    sampling: /** @type {Sampling} */ (/** @type {unknown} */ (sampling)),
    sentences: sentences === true,
  };
}

/**
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 */
const isWithin = (value, least, most) => typeof value === "number" && value >= least && value <= most;

/** @param {unknown} value @returns {string[]} */
function stopsOf(value) {
  if (!Array.isArray(value)) return [];
  return value.filter((each) => typeof each === "string" && each !== "" && each.length <= STOP_LENGTH).slice(0, MOST_STOPS);
}

/** The settings in force, their form, and where they are kept. */
export class PreferencesDialog {
  #preferences = usual();

  /**
   * @param {HTMLDialogElement} dialog
   * @param {(failure: Failure) => void} onTrouble
   */
  constructor(dialog, onTrouble) {
    this.dialog = dialog;
    this.form = /** @type {HTMLFormElement} */ (dialog.querySelector("form"));
    this.onTrouble = onTrouble;
    this.#preferences = this.#load();
    this.form.addEventListener("submit", () => this.#take());
    dialog.querySelector("[data-act=usual]")?.addEventListener("click", () => this.#show(usual()));
    dialog.querySelector("[data-act=close]")?.addEventListener("click", () => dialog.close());
  }

  get current() {
    return this.#preferences;
  }

  open() {
    this.#show(this.#preferences);
    this.dialog.showModal();
  }

  /** @param {Preferences} preferences */
  #show({ system, sampling, sentences }) {
    this.#field("system").value = system;
    this.#field("sentences").checked = sentences;
    for (const name of Object.keys(NUMBERS)) this.#field(name).value = String(sampling[/** @type {"topP"} */ (name)]);
    for (const name of Object.keys(OPTIONAL)) this.#field(name).value = String(sampling[/** @type {"seed"} */ (name)] ?? "");
    this.#field("stop").value = sampling.stop.map((each) => JSON.stringify(each).slice(1, -1)).join("\n");
  }

  /** The browser has checked the numbers against the form's own limits. */
  #take() {
    /** @type {Record<string, unknown>} */
    const sampling = { stop: this.#field("stop").value.split("\n").filter(Boolean).map(unescaped) };
    for (const name of [...Object.keys(NUMBERS), ...Object.keys(OPTIONAL)]) {
      const { value } = this.#field(name);
      sampling[name] = value === "" ? null : Number(value);
    }
    this.#preferences = read({ system: this.#field("system").value, sampling, sentences: this.#field("sentences").checked });
    this.#keep();
  }

  #load() {
    try {
      return read(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
    } catch (error) {
      if (!(error instanceof SyntaxError)) this.onTrouble(refused());
      return usual();
    }
  }

  #keep() {
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#preferences));
    } catch {
      this.onTrouble(refused());
    }
  }

  /** @param {string} name */
  #field(name) {
    return /** @type {HTMLInputElement} */ (this.form.elements.namedItem(name));
  }
}

/** A stop string on one line, with \n for its own. @param {string} line */
function unescaped(line) {
  return line.replace(/\\([nrt\\"])/g, (_, name) => ({ n: "\n", r: "\r", t: "\t" })[/** @type {"n"} */ (name)] ?? name);
}

/** @returns {Failure} */
const refused = () => ({
  code: "settings_refused",
  message: "this browser keeps no settings for this page",
  hint: "They hold until the page is closed; a window that is not private keeps them.",
});
