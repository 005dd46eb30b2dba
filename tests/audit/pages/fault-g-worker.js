// A model on the GPU that compiles a kernel for each length of its context, and gives each one a
// submit. The browser compiles them on the GPU process's main thread, where frames pass too; a
// submit alone would not hold it where SwiftShader, on threads of its own, stands in for a GPU.

// Far beyond what a budget allows: beside other work a compilation aimed at less may end sooner.
const COMPILE_MS = 900;
const SUBMIT_MS = 50;
// Few: one dispatch of a kernel that takes long to compile must not take long itself.
const ELEMENTS = 2 * 1024;

/** What takes about as long as it should on this GPU: found by trying, and corrected each time. */
class Amount {
  /** @param {number} count @param {number} aimMs @param {number} most */
  constructor(count, aimMs, most) {
    this.count = count;
    this.aimMs = aimMs;
    this.most = most;
  }

  /** @param {number} tookMs what `count` took */
  correct(tookMs) {
    const factor = Math.min(3, Math.max(1 / 3, this.aimMs / Math.max(tookMs, 1)));
    this.count = Math.min(this.most, Math.max(1, Math.round(this.count * factor)));
  }
}

class Model {
  /** @param {GPUDevice} device */
  constructor(device) {
    this.device = device;
    this.length = 0;
    this.steps = new Amount(100, COMPILE_MS, 5000);
    this.dispatches = new Amount(1, SUBMIT_MS, 5000);
    this.state = device.createBuffer({ size: ELEMENTS * 4, usage: GPUBufferUsage.STORAGE });
  }

  async decode() {
    this.length += 1;
    const pipeline = await this.compile();
    await this.run(pipeline);
  }

  async compile() {
    const begun = performance.now();
    this.device.pushErrorScope("validation");
    const module = this.device.createShaderModule({ code: kernel(this.steps.count, this.length) });
    const pipeline = this.device.createComputePipeline({ layout: "auto", compute: { module } });
    const error = await this.device.popErrorScope(); // answered once the pipeline is made
    if (error) throw new Error(error.message);
    this.steps.correct(performance.now() - begun);
    return pipeline;
  }

  /** @param {GPUComputePipeline} pipeline */
  async run(pipeline) {
    const begun = performance.now();
    const layout = pipeline.getBindGroupLayout(0);
    const entries = [{ binding: 0, resource: { buffer: this.state } }];
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.device.createBindGroup({ layout, entries }));
    for (let i = 0; i < this.dispatches.count; i++) pass.dispatchWorkgroups(ELEMENTS / 64);
    pass.end();
    this.device.queue.submit([encoder.finish()]);
    await this.device.queue.onSubmittedWorkDone();
    this.dispatches.correct(performance.now() - begun);
  }
}

/** An unrolled kernel; no two lengths share one. @param {number} steps @param {number} length */
function kernel(steps, length) {
  const unrolled = Array.from({ length: steps }, (_, i) => `x = x * 0.5 + sin(x + ${i}.5);`);
  return `
    @group(0) @binding(0) var<storage, read_write> state: array<f32>;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3u) {
      var x = state[id.x] + ${length}.0;
      ${unrolled.join("\n")}
      state[id.x] = x;
    }`;
}

async function load() {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw new Error("this browser has no WebGPU");
  return new Model(await adapter.requestDevice());
}

const loading = load();
let answering = false;

async function answer() {
  const model = await loading;
  while (answering) await model.decode();
}

let answered = Promise.resolve();
self.addEventListener("message", ({ data }) => {
  answering = data === "start";
  if (!answering) return;
  answered = answered.then(answer).catch((error) => self.postMessage({ error: String(error) }));
});
