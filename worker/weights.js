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
 *
 * @typedef {object} Target  where a file's bytes go as they arrive
 * @property {(sizeBytes: number) => void} begin  from the first byte, also after a failed try
 * @property {(chunk: Uint8Array, at: number) => void} write  in order; what it throws ends the fetching
 * @property {() => Promise<string>} digest  SHA-256 of what was written, in hex
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
   * @param {Record<string, Target>} [targets]  by name, of files that go elsewhere
   * @returns {Promise<Map<string, Uint8Array<ArrayBuffer>>>}  the others
   */
  async take(names, targets = {}) {
    this.#totalBytes = names.reduce((sum, name) => sum + this.#entry(name).size_bytes, 0);
    this.#doneBytes = 0;
    const files = new Map();
    for (const name of names) {
      const held = new Held();
      await this.#verified(name, targets[name] ?? held);
      if (!targets[name]) files.set(name, held.bytes);
    }
    return files;
  }

  /**
   * A file that fails its check is named, dropped and fetched again once,
   * past the browser's cache.
   * @param {string} name
   * @param {Target} target
   */
  async #verified(name, target) {
    try {
      return await this.#fetch(name, target, "default");
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      this.progress("fetch", this.#doneBytes, this.#totalBytes, `${name} ${error.message}; fetching it again`);
    }
    try {
      return await this.#fetch(name, target, "reload");
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
   * @param {Target} target
   * @param {RequestCache} cache
   */
  async #fetch(name, target, cache) {
    const entry = this.#entry(name);
    const before = this.#doneBytes;
    try {
      const startedAt = performance.now();
      await this.#pour(name, target, entry.size_bytes, cache);
      const fetchedAt = performance.now();
      this.progress("verify", this.#doneBytes, this.#totalBytes, name);
      const actual = await target.digest();
      if (actual !== entry.sha256) throw new Mismatch(`has the wrong SHA-256 (${actual.slice(0, 12)}…)`);
      this.#fetchMs += fetchedAt - startedAt;
      this.#verifyMs += performance.now() - fetchedAt;
    } catch (error) {
      this.#doneBytes = before;
      throw error;
    }
  }

  /**
   * @param {string} name
   * @param {Target} target
   * @param {number} sizeBytes
   * @param {RequestCache} cache
   */
  async #pour(name, target, sizeBytes, cache) {
    const response = await request(this.base + name, { cache });
    target.begin(sizeBytes);
    let at = 0;
    for await (const chunk of chunks(response, name)) {
      if (at + chunk.length > sizeBytes) throw new Mismatch(`is longer than its ${sizeBytes} bytes`);
      target.write(chunk, at);
      at += chunk.length;
      this.#doneBytes += chunk.length;
      this.progress("fetch", this.#doneBytes, this.#totalBytes);
    }
    if (at < sizeBytes) throw new Mismatch(`ends after ${at} of ${sizeBytes} bytes`);
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

/** A file in memory of its own. @implements {Target} */
class Held {
  bytes = new Uint8Array(0);

  /** @param {number} sizeBytes */
  begin(sizeBytes) {
    this.bytes = new Uint8Array(sizeBytes);
  }

  /**
   * @param {Uint8Array} chunk
   * @param {number} at
   */
  write(chunk, at) {
    this.bytes.set(chunk, at);
  }

  async digest() {
    return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", this.bytes)));
  }
}

/** @param {Uint8Array} bytes */
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
