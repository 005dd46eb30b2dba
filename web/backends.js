/** @file Which backends to try, in which order, and why not the others. */

import { say } from "./words.js";

/** @import { Device, DeviceChoice, EngineName } from "../worker/protocol.js" */

/**
 * @typedef {{ engine: EngineName, device: Device, threads: number }} Backend
 * @typedef {Backend & { reason: string }} Fallback  a backend that was not taken, and why
 *
 * @typedef {object} Choice
 * @property {"auto" | EngineName} engine
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
  if (choice.engine === "scripted") {
    return { backends: [{ engine: "scripted", device: "script", threads: 1 }], fallbacks: [] };
  }
  const wasm = wasmBackends(choice);
  // Kernels of our own compute on the CPU alone.
  if (choice.device === "wasm" || choice.engine === "gguf") return wasm;
  const reason = await whyNotWebGpu(choice.device === "webgpu");
  const webgpu = /** @type {Backend} */ ({ engine: "transformers", device: "webgpu", threads: 1 });
  if (choice.device === "webgpu") return { backends: [webgpu], fallbacks: [] };
  if (reason) return { backends: wasm.backends, fallbacks: [{ ...webgpu, reason }, ...wasm.fallbacks] };
  return { backends: [webgpu, ...wasm.backends], fallbacks: wasm.fallbacks };
}

/**
 * Kernels of our own first: several times as fast there, without fp32 copies of the weights.
 * @param {Choice} choice
 * @returns {{ backends: Backend[], fallbacks: Fallback[] }}
 */
function wasmBackends({ engine: choice, threads }) {
  /** @type {EngineName[]} */
  const engines = choice === "auto" ? ["gguf", "transformers"] : [choice];
  const { counts, fallbacks } = threadCounts(threads);
  return {
    backends: engines.flatMap((engine) => counts.map((count) => ({ engine, device: "wasm", threads: count }))),
    fallbacks: fallbacks.map((fallback) => ({ engine: engines[0] ?? "gguf", device: "wasm", ...fallback })),
  };
}

/**
 * @param {number | null} asked
 * @returns {{ counts: number[], fallbacks: { threads: number, reason: string }[] }}  best first
 */
function threadCounts(asked) {
  // One core is left to the page: threads that wait for a taken core are slower than none.
  const cores = navigator.hardwareConcurrency;
  const threads = Math.min(asked ?? Math.max(1, Math.min(MOST_THREADS, cores - 1)), cores);
  const clamped = asked && asked > cores ? [{ threads: asked, reason: `this machine has ${cores} cores` }] : [];
  if (threads === 1) return { counts: [1], fallbacks: clamped };
  if (crossOriginIsolated) return { counts: [threads, 1], fallbacks: clamped };
  const reason = "the page is not cross-origin isolated, so threads cannot share memory";
  return { counts: [1], fallbacks: [{ threads, reason }] };
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

/** @param {Pick<Backend, "engine" | "device" | "threads">} backend */
export function describe({ engine, device, threads }) {
  if (device === "script") return say("scripted answers");
  if (device === "webgpu") return "WebGPU";
  if (engine === "gguf") {
    return threads === 1 ? say("CPU, {count} thread", { count: 1 }) : say("CPU, {count} threads", { count: threads });
  }
  return threads === 1 ? say("Wasm, {count} thread", { count: 1 }) : say("Wasm, {count} threads", { count: threads });
}
