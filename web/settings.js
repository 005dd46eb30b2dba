/** @file What the server was told to run. */

/** @import { Settings } from "./loader.js" */

/**
 * @typedef {{ id: string, revision: string, name: string, context_window: number }} ServedModel
 * @typedef {Settings & { model: ServedModel | null, version: string }} ServedSettings
 */

/** @returns {Promise<ServedSettings>}  rejects with a Failure */
export async function fetchSettings() {
  const response = await fetch("/api/settings", { cache: "no-store" }).catch(() => null);
  if (response?.ok) return response.json();
  throw {
    code: "server_gone",
    message: "the server does not answer",
    hint: "Start it again with pageside serve, then try again.",
  };
}
