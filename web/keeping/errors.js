/**
 * @file What can go wrong in keeping conversations. Each says what happened,
 * to what, and the way out; they cross threads as data.
 */

/** @import { Failure } from "../../worker/protocol.js" */

export class KeepingError extends Error {
  /** @param {Failure} failure */
  constructor(failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * @param {string} why
 * @returns {Failure}
 */
export const refused = (why) => ({
  code: "storage_refused",
  message: `the browser does not keep conversations here (${why})`,
  hint: "They last until this tab is closed; export what you want to keep.",
});

/** @returns {Failure} */
export const full = () => ({
  code: "storage_full",
  message: "there is no room left to keep conversations",
  hint: "What was kept stays, and what is new lasts until this tab is closed: delete or export some, then reload the page.",
});

/** @returns {Failure} */
export const newer = () => ({
  code: "storage_newer",
  message: "the kept conversations are of a newer Pageside",
  hint: "They are left as they are: reload the page to get the newer one. What is new here lasts until this tab is closed.",
});

/**
 * @param {string} why
 * @returns {Failure}
 */
export const lost = (why) => ({
  code: "storage_lost",
  message: `conversations are no longer kept${why && ` (${why})`}`,
  hint: "What is new lasts until this tab is closed; reload the page to keep conversations again.",
});

/**
 * A file that is not taken, or not at all.
 * @param {string} why  with the path of the fault
 * @param {string} [hint]
 * @returns {Failure}
 */
export const importInvalid = (why, hint = "Nothing was imported.") => ({
  code: "import_invalid",
  message: why,
  hint,
});

/**
 * A good file that finds no place.
 * @param {string} why
 * @returns {Failure}
 */
export const importTooLarge = (why) => ({
  code: "import_too_large",
  message: why,
  hint: "Nothing was imported.",
});

/** @param {unknown} error */
export const isQuota = (error) => /** @type {any} */ (error)?.name === "QuotaExceededError";

/** @param {unknown} error */
export const reason = (error) => (error instanceof Error || error instanceof DOMException ? error.message : String(error));
