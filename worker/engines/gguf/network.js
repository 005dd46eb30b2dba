/** @file The network that a GGUF file describes: its family's rules, its sizes, its tensors. */

import { Parts, unsupported } from "./parts.js";

/** @import { Header, Tensor } from "./header.js" */

/** As kernels/norm.h numbers them. */
const ADJACENT = 0;
const APART = 1;
const SILU = 0;
const GELU = 1;

/** More than any model has; what is made from these numbers stays small. */
const MOST = { layers: 512, heads: 1024, head: 1024, width: 65_536, vocabulary: 2 ** 20, context: 2 ** 20 };

/**
 * @typedef {object} Rope  how queries and keys turn with their position
 * @property {number} base
 * @property {number} scale  of the positions
 * @property {Tensor | null} factors  what each pair's frequency is divided by
 *
 * @typedef {object} Layer  null is what the family lacks
 * @property {Record<VectorName, Tensor | null>} vectors
 * @property {Record<MatrixName, Tensor>} matrices
 * @property {number} window  how many positions are seen; 0 for all
 * @property {Rope} rope
 *
 * @typedef {object} Network
 * @property {string} family
 * @property {number} width
 * @property {number} feedWidth
 * @property {number} vocabulary
 * @property {number} heads
 * @property {number} keyHeads
 * @property {number} head  columns of one
 * @property {number} turned  how many of these turn
 * @property {number} contextWindow
 * @property {number} pairs
 * @property {number} gate
 * @property {number} epsilon
 * @property {number} embeddingScale
 * @property {number} scoreScale
 * @property {number} scoreCap  0 for none
 * @property {number} logitCap  0 for none
 * @property {Tensor} embedding
 * @property {Tensor} output
 * @property {Tensor} outputNorm
 * @property {Layer[]} layers
 *
 * @typedef {keyof typeof VECTORS} VectorName
 *
 * @typedef {object} Family
 * @property {VectorName[]} vectors  beside the two norms that all have
 * @property {boolean} [isStacked]  queries, keys and values are one matrix, gate and up are another
 * @property {number} pairs
 * @property {number} gate
 */

/** GGUF's name of each vector of a layer, and what it is as long as. */
const VECTORS = /** @type {const} */ ({
  attentionNorm: ["attn_norm.weight", "width"],
  queryNorm: ["attn_q_norm.weight", "head"],
  keyNorm: ["attn_k_norm.weight", "head"],
  attendedNorm: ["post_attention_norm.weight", "width"],
  feedNorm: ["ffn_norm.weight", "width"],
  fedNorm: ["post_ffw_norm.weight", "width"],
  queryBias: ["attn_q.bias", "queryWidth"],
  keyBias: ["attn_k.bias", "keyWidth"],
  valueBias: ["attn_v.bias", "keyWidth"],
});

/** A layer's matrices, as the kernels want them. @typedef {"query" | "key" | "value" | "attended" | "gate" | "up" | "down"} MatrixName */

/** @type {Record<string, Family>} */
const FAMILIES = {
  llama: { vectors: [], pairs: ADJACENT, gate: SILU },
  qwen2: { vectors: ["queryBias", "keyBias", "valueBias"], pairs: APART, gate: SILU },
  qwen3: { vectors: ["queryNorm", "keyNorm"], pairs: APART, gate: SILU },
  phi3: { vectors: [], isStacked: true, pairs: APART, gate: SILU },
  gemma3: { vectors: ["queryNorm", "keyNorm", "attendedNorm", "fedNorm"], pairs: APART, gate: GELU },
};

/** Of gemma3's layers every sixth sees all positions. */
const GEMMA_PATTERN = 6;
const GEMMA_LOCAL_BASE = 10_000;

/**
 * @param {Header} header
 * @returns {Network}
 * @throws {EngineError} with the code "model_unsupported"
 */
export function readNetwork(header) {
  const parts = new Parts(header);
  const name = parts.text("general.architecture");
  const family = Object.hasOwn(FAMILIES, name) ? FAMILIES[name] : undefined;
  if (!family) throw unsupported(`its family, ${name}, is not one of ${Object.keys(FAMILIES).join(", ")}`);
  const sizes = readSizes(parts, name);
  const network = {
    family: name,
    ...sizes,
    pairs: family.pairs,
    gate: family.gate,
    epsilon: parts.number(`${name}.attention.layer_norm_rms_epsilon`),
    embeddingScale: name === "gemma3" ? Math.sqrt(sizes.width) : 1,
    scoreScale: 1 / Math.sqrt(sizes.head),
    scoreCap: parts.number(`${name}.attn_logit_softcapping`, 0),
    logitCap: parts.number(`${name}.final_logit_softcapping`, 0),
    ...readEnds(parts, sizes),
    layers: readLayers(parts, name, family, sizes),
  };
  parts.checkAllTaken();
  return network;
}

/** @typedef {ReturnType<typeof readSizes>} Sizes */

/**
 * @param {Parts} parts
 * @param {string} family
 */
function readSizes(parts, family) {
  const heads = parts.count(`${family}.attention.head_count`, MOST.heads);
  const keyHeads = parts.count(`${family}.attention.head_count_kv`, MOST.heads, heads);
  const width = parts.count(`${family}.embedding_length`, MOST.width);
  const head = parts.count(`${family}.attention.key_length`, MOST.head, width / heads);
  const turned = parts.count(`${family}.rope.dimension_count`, head, head);
  if (heads % keyHeads) throw unsupported(`${heads} heads do not share ${keyHeads} heads of keys evenly`);
  if (head % 4 || turned % 2) throw unsupported(`its heads have ${head} columns, of which ${turned} turn`);
  if (parts.number(`${family}.attention.value_length`, head) !== head) {
    throw unsupported("its values' heads are not as wide as its keys'");
  }
  return {
    width,
    feedWidth: parts.count(`${family}.feed_forward_length`, MOST.width),
    vocabulary: parts.header.tensors.get("token_embd.weight")?.rows ?? 0,
    heads,
    keyHeads,
    head,
    turned,
    queryWidth: heads * head,
    keyWidth: keyHeads * head,
    contextWindow: parts.count(`${family}.context_length`, MOST.context),
  };
}

/**
 * @param {Parts} parts
 * @param {Sizes} sizes
 */
function readEnds(parts, { vocabulary, width }) {
  if (vocabulary > MOST.vocabulary) throw unsupported(`its vocabulary has ${vocabulary} tokens`);
  const embedding = parts.matrix("token_embd.weight", vocabulary, width);
  const isTied = !parts.has("output.weight");
  return {
    embedding,
    output: isTied ? embedding : parts.matrix("output.weight", vocabulary, width),
    outputNorm: parts.vector("output_norm.weight", width),
  };
}

/**
 * @param {Parts} parts
 * @param {string} name
 * @param {Family} family
 * @param {Sizes} sizes
 * @returns {Layer[]}
 */
function readLayers(parts, name, family, sizes) {
  const count = parts.count(`${name}.block_count`, MOST.layers);
  /** @type {VectorName[]} */
  const wanted = ["attentionNorm", "feedNorm", ...family.vectors];
  const ropes = readRopes(parts, name, sizes);
  return Array.from({ length: count }, (_, i) => {
    const isLocal = name === "gemma3" && (i + 1) % GEMMA_PATTERN !== 0;
    const vectors = Object.entries(VECTORS).map(([vector, [tensor, length]]) => [
      vector,
      wanted.includes(/** @type {VectorName} */ (vector)) ? parts.vector(`blk.${i}.${tensor}`, sizes[length]) : null,
    ]);
    return {
      vectors: Object.fromEntries(vectors),
      matrices: readMatrices(parts, `blk.${i}`, family, sizes),
      window: windowOf(parts, name, isLocal),
      rope: isLocal ? ropes.local : ropes.global,
    };
  });
}

/**
 * @param {Parts} parts
 * @param {string} block
 * @param {Family} family
 * @param {Sizes} sizes
 * @returns {Record<MatrixName, Tensor>}  in the order of kernels/model.h
 */
function readMatrices(parts, block, { isStacked }, { width, feedWidth, queryWidth, keyWidth }) {
  /** @param {string} name @param {number} rows @param {number} columns */
  const one = (name, rows, columns) => parts.matrix(`${block}.${name}.weight`, rows, columns);
  /** @param {string} name @param {number[]} rows */
  const several = (name, rows) => /** @type {[Tensor, Tensor, Tensor]} */ (parts.stacked(`${block}.${name}.weight`, rows, width));
  const [query, key, value] = isStacked
    ? several("attn_qkv", [queryWidth, keyWidth, keyWidth])
    : [one("attn_q", queryWidth, width), one("attn_k", keyWidth, width), one("attn_v", keyWidth, width)];
  const attended = one("attn_output", width, queryWidth);
  const [gate, up] = isStacked
    ? several("ffn_up", [feedWidth, feedWidth])
    : [one("ffn_gate", feedWidth, width), one("ffn_up", feedWidth, width)];
  return { query, key, value, attended, gate, up, down: one("ffn_down", width, feedWidth) };
}

/**
 * @param {Parts} parts
 * @param {string} name
 * @param {boolean} isLocal
 */
function windowOf(parts, name, isLocal) {
  const key = `${name}.attention.sliding_window`;
  if (name === "phi3") return parts.number(key, 0) && parts.count(key, MOST.context);
  return isLocal ? parts.count(key, MOST.context) : 0;
}

/**
 * @param {Parts} parts
 * @param {string} name
 * @param {Sizes} sizes
 * @returns {{ global: Rope, local: Rope }}
 */
function readRopes(parts, name, { turned }) {
  const scaling = parts.header.metadata.get(`${name}.rope.scaling.type`) ?? "none";
  if (scaling !== "none" && scaling !== "linear") throw unsupported(`its RoPE is scaled by ${scaling}`);
  if (parts.has("rope_factors_long.weight")) throw unsupported("its RoPE changes with the context (LongRoPE)");
  const factors = parts.has("rope_freqs.weight") ? parts.vector("rope_freqs.weight", turned / 2) : null;
  const base = parts.number(`${name}.rope.freq_base`, 10_000);
  const scale = scaling === "linear" ? 1 / parts.number(`${name}.rope.scaling.factor`) : 1;
  return {
    global: { base, scale, factors },
    local: { base: parts.number(`${name}.rope.freq_base_swa`, GEMMA_LOCAL_BASE), scale: 1, factors: null },
  };
}
