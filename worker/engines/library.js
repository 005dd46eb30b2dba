/** @file transformers.js, as the engines use it: its tokenizers, its template language, its sessions. */

import { EngineError } from "../errors.js";

/** @import { Transformers } from "./runtime.js" */

export const VENDOR = new URL("../vendor/", import.meta.url).href;

/** What every engine takes of a model beside its weights. */
export const SMALL_FILES = ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"];

/**
 * transformers.js, told to fetch nothing: every file it asks for is one of
 * `bytes`, fetched and verified before.
 * @param {Map<string, Uint8Array<ArrayBuffer>>} bytes
 * @returns {Promise<Transformers>}
 */
export async function transformersOver(bytes) {
  const transformers = /** @type {Transformers} */ (
    await import(`${VENDOR}transformers/transformers.min.js`).catch(() => {
      throw new EngineError("server_gone", "transformers.js could not be fetched", "Is pageside serve still running?");
    })
  );
  const { env } = transformers;
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = "/models/";
  env.useBrowserCache = false; // keeps a damaged file for ever
  env.useWasmCache = false; // wants blob: scripts
  env.fetch = async (url) => {
    const name = String(url).split("/").slice(4).join("/");
    const body = bytes.get(name);
    return body ? new Response(body) : new Response(null, { status: 404 });
  };
  return transformers;
}

/**
 * @param {Map<string, Uint8Array>} bytes
 * @param {string} name
 */
export const json = (bytes, name) => JSON.parse(new TextDecoder().decode(bytes.get(name)));

/**
 * @param {Map<string, Uint8Array>} bytes
 * @returns {Set<number>}  the ids that end an answer
 */
export function endsOf(bytes) {
  const ids = json(bytes, "generation_config.json").eos_token_id ?? [];
  return new Set(Array.isArray(ids) ? ids : [ids]);
}
