/** The parts of transformers.js 4.3.2 and onnxruntime-web used here. The package ships its own types with 475 MB of dependencies. */

export interface Tensor {
  readonly dims: number[];
  readonly type: string;
  readonly location: "cpu" | "gpu-buffer" | string;
  readonly data: Float32Array;
  readonly ort_tensor: { getData(): Promise<Float32Array> };
  dispose(): void;
}

export interface Tokenizer {
  (text: string, options: { add_special_tokens: boolean; return_tensor: false }): { input_ids: number[] };
  apply_chat_template(
    messages: { role: string; content: string }[],
    options: { add_generation_prompt: boolean; tokenize: false },
  ): string;
}

export interface CausalModel {
  forward(inputs: Record<string, unknown>): Promise<Record<string, Tensor>>;
}

export interface OnnxEnv {
  wasm: { wasmPaths?: { mjs: string; wasm: string }; numThreads?: number };
  webgpu: { device?: Promise<GpuDevice> | GpuDevice; powerPreference?: string };
}

export interface GpuDevice {
  readonly lost: Promise<{ reason: string; message: string }>;
  readonly adapterInfo?: { vendor: string; architecture: string; description: string };
}

export interface Transformers {
  env: {
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    localModelPath: string;
    useBrowserCache: boolean;
    useWasmCache: boolean;
    fetch: (url: string | URL, options?: RequestInit) => Promise<Response>;
    backends: { onnx: OnnxEnv };
  };
  Tensor: new (type: string, data: BigInt64Array, dims: number[]) => Tensor;
  AutoTokenizer: { from_pretrained(name: string): Promise<Tokenizer> };
  AutoModelForCausalLM: {
    from_pretrained(
      name: string,
      options: { device: "webgpu" | "wasm"; dtype: "fp32" | "q4"; session_options: Record<string, unknown> },
    ): Promise<CausalModel>;
  };
}
