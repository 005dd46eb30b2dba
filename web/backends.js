/** @file Which backends to try, in which order, and why not the others. */

import { say } from "./words.js";

/** @import { Device, DeviceChoice, EngineName } from "../worker/protocol.js" */

/**
 * @typedef {{ device: Device, threads: number }} Backend
 * @typedef {Backend & { reason: string }} Fallback  a backend that was not taken, and why
 *
 * @typedef {object} Choice
 * @property {EngineName} engine
 * @property {DeviceChoice} device
 * @property {number | null} threads  Wasm threads; null: chosen here
 */

/**
 * More Wasm threads than this gain nothing on models that fit a page, and
 * spinning threads take the cores the page paints with.
 */
const MOST_THREADS = 8;

/**
 * @param {Choice} choice
 * @returns {Promise<{ backends: Backend[], fallbacks: Fallback[] }>}  best first
 */
export async function candidates(choice) {
  if (choice.engine === "scripted") return { backends: [{ device: "script", threads: 1 }], fallbacks: [] };
  const wasm = wasmBackends(choice.threads);
  if (choice.device === "wasm") return wasm;
  const reason = await whyNotWebGpu(choice.device === "webgpu");
  const webgpu = /** @type {Backend} */ ({ device: "webgpu", threads: 1 });
  if (choice.device === "webgpu") return { backends: [webgpu], fallbacks: [] };
  if (reason) return { backends: wasm.backends, fallbacks: [{ ...webgpu, reason }, ...wasm.fallbacks] };
  return { backends: [webgpu, ...wasm.backends], fallbacks: wasm.fallbacks };
}

/**
 * @param {number | null} asked
 * @returns {{ backends: Backend[], fallbacks: Fallback[] }}
 */
function wasmBackends(asked) {
  // One core is left to the page: threads that wait for a taken core are slower than none.
  const cores = navigator.hardwareConcurrency;
  const threads = Math.min(asked ?? Math.max(1, Math.min(MOST_THREADS, cores - 1)), cores);
  const single = /** @type {Backend} */ ({ device: "wasm", threads: 1 });
  /** @type {Fallback[]} */
  const clamped =
    asked && asked > cores ? [{ device: "wasm", threads: asked, reason: `this machine has ${cores} cores` }] : [];
  if (threads === 1) return { backends: [single], fallbacks: clamped };
  const threaded = { ...single, threads };
  if (crossOriginIsolated) return { backends: [threaded, single], fallbacks: clamped };
  const reason = "the page is not cross-origin isolated, so threads cannot share memory";
  return { backends: [single], fallbacks: [{ ...threaded, reason }] };
}

/**
 * @typedef {object} Adapter
 * @property {{ isFallbackAdapter?: boolean }} [info]
 * @property {boolean} [isFallbackAdapter]  where it stood before 2025
 *
 * @param {boolean} asked  a software adapter will do, when WebGPU was asked for by name
 * @returns {Promise<string>}  empty: there is a usable adapter
 */
async function whyNotWebGpu(asked) {
  const { gpu } = /** @type {{ gpu?: { requestAdapter(): Promise<Adapter | null> } }} */ (navigator);
  if (!gpu) return "this browser has no WebGPU";
  const adapter = await gpu.requestAdapter().catch(() => null);
  if (!adapter) return "no WebGPU adapter was found";
  const isSoftware = adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter ?? false;
  return isSoftware && !asked ? "the only WebGPU adapter is software, slower than Wasm" : "";
}

/** @param {Backend} backend */
export function describe({ device, threads }) {
  if (device === "script") return say("scripted answers");
  if (device === "webgpu") return "WebGPU";
  return threads === 1 ? say("Wasm, {count} thread", { count: 1 }) : say("Wasm, {count} threads", { count: threads });
}
