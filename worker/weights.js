/** @file Model files as the worker gets them: fetched, counted, and checked against the manifest's hash. */

import { EngineError } from "./errors.js";

/** @import { LoadStage, ModelRef } from "./protocol.js" */

/**
 * @typedef {{ size_bytes: number, sha256: string }} ManifestFile
 *
 * @typedef {object} Manifest  of a model folder; written by pageside.models.manifest
 * @property {string} id
 * @property {string} revision
 * @property {number} context_window
 * @property {{ prompt: string, next: string } | null} known_answer
 * @property {Record<string, ManifestFile>} files
 *
 * @typedef {(stage: LoadStage, doneBytes: number, totalBytes: number, note?: string) => void} Progress
 */

/** What a response body may disagree with. */
class Mismatch extends Error {}

/** The files of one model, over HTTP. */
export class ModelFiles {
  #doneBytes = 0;
  #totalBytes = 0;
  #fetchMs = 0;
  #verifyMs = 0;

  /**
   * @param {string} base  URL of the model folder, ends with a slash
   * @param {Manifest} manifest
   * @param {Progress} progress
   */
  constructor(base, manifest, progress) {
    this.base = base;
    this.manifest = manifest;
    this.progress = progress;
  }

  /**
   * @param {ModelRef} model
   * @param {Progress} progress
   */
  static async open({ id, revision }, progress) {
    const base = `/models/${id}/${revision}/`;
    // Its name and known answer are not part of the revision, so it may change under its URL.
    const response = await request(`${base}manifest.json`, { cache: "no-cache" });
    const manifest = await response.json().catch(() => null);
    if (manifest?.files) return new ModelFiles(base, /** @type {Manifest} */ (manifest), progress);
    throw new EngineError("file_missing", `${base}manifest.json is no manifest`, "Is another server on this port?");
  }

  /** @returns {{ fetch: number, verify: number }} ms spent, both kinds, since `open` */
  get spentMs() {
    return { fetch: this.#fetchMs, verify: this.#verifyMs };
  }

  /**
   * Fetches files one after the other, so that the memory of a large one is
   * the caller's before the next begins.
   * @param {string[]} names
   * @returns {Promise<Map<string, Uint8Array<ArrayBuffer>>>}
   */
  async take(names) {
    this.#totalBytes = names.reduce((sum, name) => sum + this.#entry(name).size_bytes, 0);
    this.#doneBytes = 0;
    const files = new Map();
    for (const name of names) files.set(name, await this.#verified(name));
    return files;
  }

  /**
   * A file that fails its check is named, dropped and fetched again once,
   * past the browser's cache.
   * @param {string} name
   */
  async #verified(name) {
    try {
      return await this.#fetched(name, "default");
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      this.progress("fetch", this.#doneBytes, this.#totalBytes, `${name} ${error.message}; fetching it again`);
    }
    try {
      return await this.#fetched(name, "reload");
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      throw new EngineError(
        "weights_corrupt",
        `${name} of ${this.manifest.id} ${error.message}, twice`,
        `Repair it on the server with: pageside models pull ${this.manifest.id}`,
      );
    }
  }

  /**
   * @param {string} name
   * @param {RequestCache} cache
   */
  async #fetched(name, cache) {
    const entry = this.#entry(name);
    const before = this.#doneBytes;
    try {
      const startedAt = performance.now();
      const bytes = await this.#body(name, entry.size_bytes, cache);
      const fetchedAt = performance.now();
      this.progress("verify", this.#doneBytes, this.#totalBytes, name);
      await check(bytes, entry.sha256);
      this.#fetchMs += fetchedAt - startedAt;
      this.#verifyMs += performance.now() - fetchedAt;
      return bytes;
    } catch (error) {
      this.#doneBytes = before;
      throw error;
    }
  }

  /**
   * @param {string} name
   * @param {number} sizeBytes
   * @param {RequestCache} cache
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  async #body(name, sizeBytes, cache) {
    const response = await request(this.base + name, { cache });
    const bytes = new Uint8Array(sizeBytes);
    let at = 0;
    for await (const chunk of chunks(response, name)) {
      if (at + chunk.length > sizeBytes) throw new Mismatch(`is longer than its ${sizeBytes} bytes`);
      bytes.set(chunk, at);
      at += chunk.length;
      this.#doneBytes += chunk.length;
      this.progress("fetch", this.#doneBytes, this.#totalBytes);
    }
    if (at < sizeBytes) throw new Mismatch(`ends after ${at} of ${sizeBytes} bytes`);
    return bytes;
  }

  /** @param {string} name */
  #entry(name) {
    const entry = this.manifest.files[name];
    if (entry) return entry;
    throw new EngineError(
      "file_missing",
      `the manifest of ${this.manifest.id} lists no ${name}`,
      `Fetch the model again on the server: pageside models pull ${this.manifest.id}`,
    );
  }
}

/**
 * @param {string} url
 * @param {RequestInit} options
 */
async function request(url, options) {
  const response = await fetch(url, options).catch(() => {
    throw serverGone(url);
  });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: null }));
  throw new EngineError(
    "file_missing",
    error?.message ?? `the server answered ${response.status} for ${url}`,
    error?.hint || "Reload the page.",
  );
}

/**
 * @param {Response} response
 * @param {string} name
 */
async function* chunks(response, name) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw serverGone(name);
      });
      if (done) return;
      yield value;
    }
  } finally {
    // A body that turned out wrong is not read to its end.
    await reader.cancel().catch(() => undefined);
  }
}

/** @param {string} name */
const serverGone = (name) =>
  new EngineError(
    "server_gone",
    `the server stopped answering while ${name} was fetched`,
    "Start it again (pageside serve), then send the prompt again.",
  );

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {string} sha256  hex
 */
async function check(bytes, sha256) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const actual = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (actual !== sha256) throw new Mismatch(`has the wrong SHA-256 (${actual.slice(0, 12)}…)`);
}
