/** @file The engine on transformers.js: ONNX graphs on WebGPU or Wasm. */

import { DequantisedWeights } from "../dequantise.js";
import { Vocabulary } from "../detokenizer.js";
import { EngineError } from "../errors.js";
import { ModelFiles } from "../weights.js";
import { Chat, ChatEngine, firstLine } from "./chat.js";
import { KvSession } from "./kv.js";
import { endsOf, json, SMALL_FILES, transformersOver, VENDOR } from "./library.js";

/** @import { Load, ModelRef } from "../protocol.js" */
/** @import { Manifest } from "../weights.js" */
/** @import { Engine, Loaded, LoadReport } from "./engine.js" */
/** @import { GpuDevice, Transformers } from "./runtime.js" */

/** ONNX Runtime's builds: the plain one is half the size and faster on a CPU. */
const ONNX_BUILD = { wasm: "ort-wasm-simd-threaded", webgpu: "ort-wasm-simd-threaded.asyncify" };

/** What each device loads beside the configuration and the tokenizer. */
const MODEL_FILES = {
  // fp32 weights out of the GGUF's own bytes: ten times faster on Wasm than 4-bit kernels.
  wasm: ["onnx/model.onnx", "onnx/weights.json", "model.gguf"],
  webgpu: ["onnx/model_q4.onnx"],
};

/** @typedef {"wasm" | "webgpu"} OnnxDevice */

/** @implements {Engine} */
export class TransformersEngine extends ChatEngine {
  /**
   * @param {Load} request
   * @param {LoadReport} report
   * @returns {Promise<Loaded>}
   */
  async load({ device, threads, model: reference }, report) {
    const startedAt = performance.now();
    if (!reference || device === "script") throw new EngineError("file_missing", "no model was named");
    const files = await ModelFiles.open(reference, report.progress);
    const bytes = await files.take([...SMALL_FILES, ...MODEL_FILES[device]]);
    report.progress("session", 0, 0);
    const transformers = await runtime(device, threads, bytes);
    const sessionAt = performance.now();
    const dequantiseMs = await this.#start(transformers, device, reference, bytes, files.manifest);
    report.progress("warm-up", 0, 0);
    const warmUpAt = performance.now();
    await this.chat.check(files.manifest);
    const adapter = device === "webgpu" ? await watch(transformers, report) : "";
    const readyAt = performance.now();
    const loadMs = {
      ...files.spentMs,
      dequantise: dequantiseMs,
      session: warmUpAt - sessionAt - dequantiseMs,
      warmUp: readyAt - warmUpAt,
      total: readyAt - startedAt,
    };
    return { device, threads, contextWindow: files.manifest.context_window, adapter, loadMs };
  }

  /**
   * @param {Transformers} transformers
   * @param {OnnxDevice} device
   * @param {ModelRef} reference
   * @param {Map<string, Uint8Array<ArrayBuffer>>} bytes
   * @param {Manifest} manifest
   * @returns {Promise<number>}  ms spent dequantising
   */
  async #start(transformers, device, { id, revision }, bytes, manifest) {
    const name = `${id}/${revision}`;
    const vocabulary = new Vocabulary(json(bytes, "tokenizer.json"));
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(name);
    const ends = endsOf(bytes);
    const weights = device === "wasm" ? externalWeights(bytes) : null;
    const model = await transformers.AutoModelForCausalLM.from_pretrained(name, {
      device,
      dtype: device === "wasm" ? "fp32" : "q4",
      session_options: weights ? { externalData: [weights] } : {},
    }).catch((error) => {
      throw new EngineError("session_failed", `no session on ${device}: ${firstLine(error)}`);
    });
    bytes.clear();
    const session = new KvSession(transformers, model);
    this.chat = new Chat(tokenizer, vocabulary, session, ends, manifest.context_window);
    return weights?.data.spentMs ?? 0;
  }
}

/**
 * @param {OnnxDevice} device
 * @param {number} threads
 * @param {Map<string, Uint8Array<ArrayBuffer>>} bytes
 * @returns {Promise<Transformers>}
 */
async function runtime(device, threads, bytes) {
  const transformers = await transformersOver(bytes);
  const build = `${VENDOR}onnxruntime-web/${ONNX_BUILD[device]}`;
  const { wasm } = transformers.env.backends.onnx;
  wasm.wasmPaths = { mjs: `${build}.mjs`, wasm: `${build}.wasm` };
  wasm.numThreads = threads;
  return transformers;
}

/** @param {Map<string, Uint8Array<ArrayBuffer>>} bytes */
function externalWeights(bytes) {
  const index = json(bytes, "onnx/weights.json");
  const gguf = /** @type {Uint8Array<ArrayBuffer>} */ (bytes.get("model.gguf"));
  return { path: index.location, data: new DequantisedWeights(gguf, index) };
}

/**
 * Reports when the GPU is lost, in an answer or between two; tells what it is.
 * @param {Transformers} transformers
 * @param {LoadReport} report
 */
async function watch({ env }, report) {
  const device = /** @type {GpuDevice | undefined} */ (await env.backends.onnx.webgpu.device);
  void device?.lost.then(({ message }) => {
    report.lost(new EngineError("device_lost", `the GPU was lost: ${message}`, "Send the prompt again."));
  });
  const { vendor = "", architecture = "", description = "" } = device?.adapterInfo ?? {};
  return description || [vendor, architecture].filter(Boolean).join(" ");
}
