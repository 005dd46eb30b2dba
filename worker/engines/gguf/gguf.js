/** @file The engine on kernels of our own: a GGUF file's weights as they are, on the CPU. */

import { Vocabulary } from "../../detokenizer.js";
import { EngineError } from "../../errors.js";
import { ModelFiles } from "../../weights.js";
import { Chat, ChatEngine, firstLine } from "../chat.js";
import { endsOf, json, SMALL_FILES, transformersOver } from "../library.js";
import { Machine } from "./machine.js";
import { contextThatFits } from "./model.js";
import { unsupported } from "./parts.js";
import { PouredFile } from "./poured.js";
import { GgufSession } from "./session.js";
import { startThreads } from "./threads.js";

/** @import { Load } from "../../protocol.js" */
/** @import { Engine, Loaded, LoadReport } from "../engine.js" */
/** @import { CacheType } from "./model.js" */

const MODULE = new URL("./kernels.wasm", import.meta.url);
const WEIGHTS = "model.gguf";
/** As near to f32 as the rounded inputs are, at half the memory. @type {CacheType} */
const CACHE = "f16";

/** @implements {Engine} */
export class GgufEngine extends ChatEngine {
  /**
   * @param {Load} request
   * @param {LoadReport} report
   * @returns {Promise<Loaded>}
   */
  async load({ device, threads, model: reference }, report) {
    const startedAt = performance.now();
    if (!reference) throw new EngineError("file_missing", "no model was named");
    const files = await ModelFiles.open(reference, report.progress);
    if (!files.manifest.files[WEIGHTS]) throw unsupported("it has no GGUF file");
    const machine = await Machine.start(await compiled());
    const poured = new PouredFile(machine);
    const bytes = await files.take([...SMALL_FILES, WEIGHTS], { [WEIGHTS]: poured });
    report.progress("session", 0, 0);
    const sessionAt = performance.now();
    await startThreads(machine, threads).catch((error) => {
      throw new EngineError("session_failed", `${threads} threads could not be started: ${firstLine(error)}`);
    });
    const { network } = poured;
    const context = Math.min(files.manifest.context_window, contextThatFits(network, poured.sizeBytes, CACHE));
    if (context < 1) throw unsupported("beside its file there is no room for a conversation in 4 GB");
    const session = new GgufSession(machine, network, poured.at, { context, threads, cache: CACHE });
    const transformers = await transformersOver(bytes);
    const tokenizer = await transformers.AutoTokenizer.from_pretrained(`${reference.id}/${reference.revision}`);
    const vocabulary = new Vocabulary(json(bytes, "tokenizer.json"));
    this.chat = new Chat(tokenizer, vocabulary, session, endsOf(bytes), context);
    report.progress("warm-up", 0, 0);
    const warmUpAt = performance.now();
    await this.chat.check(files.manifest);
    const readyAt = performance.now();
    const loadMs = {
      ...files.spentMs,
      dequantise: 0,
      session: warmUpAt - sessionAt,
      warmUp: readyAt - warmUpAt,
      total: readyAt - startedAt,
    };
    return { device, threads, contextWindow: context, adapter: "", loadMs };
  }
}

async function compiled() {
  const response = await fetch(MODULE).catch(() => {
    throw new EngineError("server_gone", "the kernels could not be fetched", "Is pageside serve still running?");
  });
  return WebAssembly.compileStreaming(response).catch((error) => {
    throw new EngineError("session_failed", `the kernels could not be compiled: ${firstLine(error)}`);
  });
}
