/** @file The engine on transformers.js: ONNX graphs on WebGPU or Wasm. */

import { DequantisedWeights } from "../dequantise.js";
import { Detokenizer, Vocabulary } from "../detokenizer.js";
import { EngineError } from "../errors.js";
import { argmax, Sampler } from "../sampler.js";
import { macrotask } from "../turn.js";
import { ModelFiles } from "../weights.js";
import { Encoder } from "./encoder.js";
import { KvSession } from "./kv.js";
import { Said } from "./said.js";

/** @import { Answer } from "../answer.js" */
/** @import { ChatMessage, EndReason, Generate, Load, ModelRef, TokenCount } from "../protocol.js" */
/** @import { Manifest } from "../weights.js" */
/** @import { Engine, Loaded, LoadReport } from "./engine.js" */
/** @import { CausalModel, GpuDevice, Tokenizer, Transformers } from "./runtime.js" */

const VENDOR = new URL("../vendor/", import.meta.url).href;

/** ONNX Runtime's builds: the plain one is half the size and faster on a CPU. */
const ONNX_BUILD = { wasm: "ort-wasm-simd-threaded", webgpu: "ort-wasm-simd-threaded.asyncify" };

/** What each device loads beside the configuration and the tokenizer. */
const MODEL_FILES = {
  // fp32 weights out of the GGUF's own bytes: ten times faster on Wasm than 4-bit kernels.
  wasm: ["onnx/model.onnx", "onnx/weights.json", "model.gguf"],
  webgpu: ["onnx/model_q4.onnx"],
};
/** A small model can go on for ever; unless told otherwise it ends here. */
const MOST_TOKENS = 1024;

const SMALL_FILES = ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"];

/** @typedef {"wasm" | "webgpu"} OnnxDevice */

/** @implements {Engine} */
export class TransformersEngine {
  /** @type {Tokenizer} */ #tokenizer = /** @type {any} */ (null);
  /** @type {Vocabulary} */ #vocabulary = /** @type {any} */ (null);
  /** @type {Encoder} */ #encoder = /** @type {any} */ (null);
  /** @type {KvSession} */ #kv = /** @type {any} */ (null);
  /** @type {Said | null} */ #said = null;
  /** @type {Set<number>} */ #ends = new Set();
  #contextWindow = 0;

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
    await this.#check(files.manifest);
    const adapter = device === "webgpu" ? await watch(transformers, report) : "";
    const readyAt = performance.now();
    const loadMs = {
      ...files.spentMs,
      dequantise: dequantiseMs,
      session: warmUpAt - sessionAt - dequantiseMs,
      warmUp: readyAt - warmUpAt,
      total: readyAt - startedAt,
    };
    return { device, threads, contextWindow: this.#contextWindow, adapter, loadMs };
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
    this.#vocabulary = new Vocabulary(json(bytes, "tokenizer.json"));
    this.#tokenizer = await transformers.AutoTokenizer.from_pretrained(name);
    const weights = device === "wasm" ? externalWeights(bytes) : null;
    const model = await transformers.AutoModelForCausalLM.from_pretrained(name, {
      device,
      dtype: device === "wasm" ? "fp32" : "q4",
      session_options: weights ? { externalData: [weights] } : {},
    }).catch((error) => {
      throw new EngineError("session_failed", `no session on ${device}: ${firstLine(error)}`);
    });
    bytes.clear();
    this.#ends = ends(model);
    this.#contextWindow = manifest.context_window;
    this.#encoder = new Encoder(this.#tokenizer, this.#vocabulary, this.#contextWindow);
    this.#kv = new KvSession(transformers, model);
    return weights?.data.spentMs ?? 0;
  }

  /**
   * Runs the model once, which warms it up, and looks at what it says: some
   * GPUs answer gibberish without an error (onnxruntime#26732).
   * @param {Manifest} manifest
   */
  async #check({ id, known_answer: known }) {
    const prompt = known?.prompt ?? "Hello";
    const { input_ids: ids } = this.#tokenizer(prompt, { add_special_tokens: false, return_tensor: false });
    const logits = await this.logits(ids).catch((error) => {
      throw new EngineError("session_failed", `the first run failed: ${firstLine(error)}`);
    });
    const said = new Detokenizer(this.#vocabulary).push(argmax(logits));
    if (known && said !== known.next) {
      throw new EngineError(
        "wrong_answer",
        `${id} continues “${prompt}” with “${said}” instead of “${known.next}”: this device computes it wrongly`,
        "Try another browser or device; on the server, pageside models verify tells whether the model is whole.",
      );
    }
  }

  /**
   * @param {Generate} request
   * @param {Answer} answer
   * @returns {Promise<EndReason>}
   */
  async generate({ messages, sampling, continues }, answer) {
    this.#said = continues ? this.#continued(messages, answer.before) : this.#asked(messages);
    const { ids } = this.#said;
    const reused = this.#kv.reuse(ids);
    answer.prompt(ids.length, reused);
    const room = this.#contextWindow - ids.length;
    const limit = Math.min(sampling.maxTokens ?? MOST_TOKENS, room);
    const sampler = new Sampler(sampling, ids);
    const logits = await this.#kv.prefill(ids.slice(reused), answer.signal, (...progress) => answer.prefill(...progress));
    return logits ? this.#decode(logits, limit, sampler, this.#said, answer) : "stopped";
  }

  forget() {
    this.#kv.reset();
    this.#said = null;
  }

  /**
   * @param {string} text
   * @returns {Promise<TokenCount>}
   */
  count(text) {
    return this.#encoder.count(text);
  }

  /** @param {ChatMessage[]} messages */
  #asked(messages) {
    return new Said(this.#vocabulary, messages, "", this.encode(messages));
  }

  /**
   * From the ids of the last answer, if it is that one: a greedy answer then goes on as if it had
   * never been cut. From any other's text, which may be tokenised differently at its end.
   * @param {ChatMessage[]} messages
   * @param {string} text  the last one's
   */
  #continued(messages, text) {
    const asked = messages.slice(0, -1);
    if (!this.#said?.isAnswerTo(asked, text)) {
      return new Said(this.#vocabulary, asked, text, this.#encoder.prompt(messages, true));
    }
    this.#encoder.fitting(this.#said.ids);
    return this.#said;
  }

  /**
   * A character that is not whole when the answer is cut is not shown: Continue completes it.
   * @param {Float32Array} logits
   * @param {number} limit  tokens
   * @param {Sampler} sampler
   * @param {Said} said
   * @param {Answer} answer
   * @returns {Promise<EndReason>}
   */
  async #decode(logits, limit, sampler, said, answer) {
    for (let count = 1; ; count++) {
      const id = sampler.next(logits);
      if (this.#ends.has(id)) return end(said, answer);
      if (answer.token(said.push(id))) return "stop-string";
      if (count >= limit) return "length";
      await macrotask();
      if (answer.signal.aborted) return "stopped";
      logits = await this.#kv.step([id]);
    }
  }

  /**
   * What the model says after `ids` and nothing before them: for comparing devices.
   * @param {number[]} ids
   * @returns {Promise<Float32Array>}  [vocabulary], the caller's to keep
   */
  async logits(ids) {
    this.#kv.reset();
    const logits = Float32Array.from(await this.#kv.step(ids));
    this.#kv.reset();
    return logits;
  }

  /**
   * @param {ChatMessage[]} messages
   * @returns {number[]}  token ids of the prompt, by the model's template
   */
  encode(messages) {
    return this.#encoder.prompt(messages, false);
  }
}

/**
 * transformers.js, told to fetch nothing: every file it asks for is one of
 * `bytes`, fetched and verified before.
 * @param {OnnxDevice} device
 * @param {number} threads
 * @param {Map<string, Uint8Array<ArrayBuffer>>} bytes
 * @returns {Promise<Transformers>}
 */
async function runtime(device, threads, bytes) {
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
  const build = `${VENDOR}onnxruntime-web/${ONNX_BUILD[device]}`;
  env.backends.onnx.wasm.wasmPaths = { mjs: `${build}.mjs`, wasm: `${build}.wasm` };
  env.backends.onnx.wasm.numThreads = threads;
  return transformers;
}

/** @param {Map<string, Uint8Array<ArrayBuffer>>} bytes */
function externalWeights(bytes) {
  const index = json(bytes, "onnx/weights.json");
  const gguf = /** @type {Uint8Array<ArrayBuffer>} */ (bytes.get("model.gguf"));
  return { path: index.location, data: new DequantisedWeights(gguf, index) };
}

/**
 * @param {Map<string, Uint8Array>} bytes
 * @param {string} name
 */
const json = (bytes, name) => JSON.parse(new TextDecoder().decode(bytes.get(name)));

/**
 * @param {CausalModel} model
 * @returns {Set<number>}
 */
function ends(model) {
  const ids = model.generation_config?.eos_token_id ?? [];
  return new Set(Array.isArray(ids) ? ids : [ids]);
}

/**
 * @param {Said} said
 * @param {Answer} answer
 * @returns {EndReason}
 */
function end(said, answer) {
  answer.rest(said.end());
  return "eos";
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

/** @param {unknown} error  ONNX Runtime's are long */
const firstLine = (error) => String(error instanceof Error ? error.message : error).split("\n")[0];
