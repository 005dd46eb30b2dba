/** @file What the server was told to run. */

/** @import { Settings } from "./loader.js" */

/**
 * @typedef {{ id: string, revision: string, name: string, context_window: number }} ServedModel
 * @typedef {Settings & { model: ServedModel | null, version: string }} ServedSettings
 */

/**
 * @param {AbortSignal} signal
 * @returns {Promise<ServedSettings>}  rejects with a Failure
 */
export async function fetchSettings(signal) {
  const response = await fetch("/api/settings", { cache: "no-store", signal }).catch(() => null);
  // A proxy, or another server on the port, may answer 200 with a page of its own.
  const body = await response?.json().catch(() => null);
  if (response?.ok && body?.version) return body;
  throw body?.error ?? {
    code: "server_gone",
    message: "the server does not answer",
    hint: "Start it again with pageside serve, then try again.",
  };
}
