/** @file A model's files and a transformers.js session on them, without anything of Pageside's engine. */

const VENDOR = "/worker/vendor/";

/** What Pageside's worker fetches for Wasm (worker/engines/transformers.js). */
const NAMES = [
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "onnx/model.onnx",
  "onnx/weights.json",
  "model.gguf",
];

/**
 * @param {string} base  URL of the model folder
 * @returns {Promise<Map<string, Uint8Array<ArrayBuffer>>>}
 */
export async function fetchFiles(base) {
  const files = new Map();
  for (const name of NAMES) {
    const response = await fetch(base + name);
    if (!response.ok) throw new Error(`${response.status} for ${name}`);
    files.set(name, new Uint8Array(await response.arrayBuffer()));
  }
  return files;
}

/** @param {Map<string, Uint8Array>} files */
export const weightsIndex = (files) => JSON.parse(new TextDecoder().decode(files.get("onnx/weights.json")));

/**
 * @param {Map<string, Uint8Array<ArrayBuffer>>} files  all that transformers.js may ask for
 * @param {number} threads
 * @param {Uint8Array} weights  the graph's external data
 */
export async function openModel(files, threads, weights) {
  const transformers = await import(`${VENDOR}transformers/transformers.min.js`);
  const { env, AutoTokenizer, AutoModelForCausalLM } = transformers;
  Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: "/" });
  Object.assign(env, { useBrowserCache: false, useWasmCache: false });
  env.fetch = async (url) => {
    const body = files.get(String(url).split("/model/")[1]);
    return body ? new Response(body) : new Response(null, { status: 404 });
  };
  const build = `${VENDOR}onnxruntime-web/ort-wasm-simd-threaded`;
  env.backends.onnx.wasm.wasmPaths = { mjs: `${build}.mjs`, wasm: `${build}.wasm` };
  env.backends.onnx.wasm.numThreads = threads;
  const externalData = [{ path: weightsIndex(files).location, data: weights }];
  const tokenizer = await AutoTokenizer.from_pretrained("model");
  const options = { device: "wasm", dtype: "fp32", session_options: { externalData } };
  const model = await AutoModelForCausalLM.from_pretrained("model", options);
  return { transformers, tokenizer, model };
}
