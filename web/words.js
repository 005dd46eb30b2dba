/** @file What the page says, in English and in Chinese. Tests look for words that are missing here. */

/** English → 简体中文. A failure is looked up by its code, a reason by its words. @type {Record<string, string>} */
const CHINESE = {
  // The page
  "A model inside this page": "这个页面里的模型",
  "It is fetched once and checked; then everything happens in this tab. What you write is sent to no one.":
    "模型只下载一次并经过校验，之后一切都在这个标签页里进行。你写的内容不会发给任何人。",
  "What is the capital of France?": "法国的首都是哪里？",
  "Write one sentence about rain.": "写一句关于雨的话。",
  "Explain why the sky is blue, briefly.": "简单解释天空为什么是蓝色的。",
  "New chat": "新对话",
  "Starting…": "正在启动…",
  "Loading the model": "加载模型",
  "Your message": "你的消息",
  "Write a message": "写点什么",
  "Enter sends, Shift+Enter starts a new line, Escape stops an answer": "Enter 发送，Shift+Enter 换行，Esc 停止回答",
  Conversation: "对话",
  "Jump to latest ↓": "回到最新 ↓",
  Send: "发送",
  Stop: "停止",
  "Stops this answer and those that wait": "停止这个回答和排队中的回答",
  "The queue is full: wait for an answer, or press Stop": "队列已满：请等一个回答结束，或按“停止”",

  // An answer
  "Thinking…": "思考中…",
  Thought: "思考过程",
  Copy: "复制",
  Copied: "已复制",
  "Not allowed": "浏览器不允许",
  Save: "保存",
  "Copy this answer": "复制这个回答",
  "Copy this code": "复制这段代码",
  "Save this code as a file": "把这段代码存为文件",
  Retry: "重试",
  Stopped: "已停止",
  "Waiting for the model…": "正在等待模型…",
  "Reading the prompt: {done} of {total} tokens": "正在读取提示：{done} / {total} 个词元",
  "Next in the queue": "队列中的下一个",
  "{count} before it in the queue": "前面还有 {count} 个",
  ", about {seconds} s": "，约 {seconds} 秒",
  "{count} token": "{count} 个词元",
  "{count} tokens": "{count} 个词元",
  "{rate} tokens/s": "{rate} 词元/秒",
  "TTFT {seconds} s": "首个词元 {seconds} 秒",
  "{count} in the prompt": "提示 {count} 个词元",
  "{count} in the prompt, {reused} reused": "提示 {count} 个词元，沿用 {reused} 个",
  stopped: "已停止",
  "ended at its limit": "达到长度上限",
  "tokens/s: (tokens − 1) ÷ the time from the first token to the last, in the worker. TTFT: from the worker's receipt of the prompt to its first token.":
    "词元/秒：（词元数 − 1）÷ Worker 中从第一个词元到最后一个的时间。首个词元：从 Worker 收到提示到它的第一个词元。",

  // The model
  "Scripted answers": "脚本回答",
  "scripted answers": "脚本回答",
  "Wasm, {count} thread": "Wasm，{count} 个线程",
  "Wasm, {count} threads": "Wasm，{count} 个线程",
  "Fetching the model": "正在获取模型",
  "Checking its hash": "正在校验哈希",
  "Starting the engine": "正在启动引擎",
  "Warming up": "正在预热",
  ": {done} of {total} MB": "：{done} / {total} MB",
  "Not on {backend}: {reason}": "不用 {backend}：{reason}",
  "not on {backend}: {reason}": "不用 {backend}：{reason}",
  "Ready on {backend}": "就绪：{backend}",
  "Ready with {backend}": "就绪：{backend}",

  // Why not a better backend
  "this browser has no WebGPU": "浏览器没有 WebGPU",
  "no WebGPU adapter was found": "没有找到 WebGPU 适配器",
  "the only WebGPU adapter is software, slower than Wasm": "唯一的 WebGPU 适配器是软件实现，比 Wasm 慢",
  "the page is not cross-origin isolated, so threads cannot share memory": "页面没有跨源隔离，线程无法共享内存",

  // Failures, by their codes: what it means and what to do
  file_missing: "服务器上缺少一个文件。请在服务器上运行 pageside models pull，然后重试。",
  server_gone: "服务器没有回应。请确认 pageside serve 仍在运行，然后重试。",
  weights_corrupt: "模型文件损坏。请在服务器上运行 pageside models pull 修复，然后重试。",
  insecure_context: "这个地址不是安全上下文，浏览器不提供模型所需的功能。请用 http://localhost 或 https 打开页面。",
  tokenizer_unsupported: "不支持这个模型的分词器。请换一个模型。",
  prompt_empty: "提示是空的。请写点什么。",
  prompt_too_long: "提示超出了模型的上下文长度。请缩短它，或开始新对话。",
  session_failed: "引擎无法启动。请重试；如果仍然失败，请重新加载页面。",
  wrong_answer: "这台设备算出的结果不对，因此不使用它。",
  device_lost: "GPU 设备丢失。重试会重新加载模型。",
  script_error: "脚本在这里报告了错误。",
  script_missing: "没有要播放的脚本。请用 --script 指定一个。",
  internal: "页面内部出错。请重试；如果仍然失败，请重新加载页面。",
  no_backend: "没有可用的后端了。请重新加载页面。",
  worker_lost: "引擎意外结束。重试会启动新的引擎。",
};

export const isChinese = /^zh\b/i.test(navigator.language);

/**
 * The words in the visitor's language.
 * @param {string} english
 * @param {Record<string, string | number>} [values]  of the names in braces
 */
export function say(english, values = {}) {
  const words = (isChinese && CHINESE[english]) || english;
  return words.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * What went wrong and the way out. In Chinese by its code, with the English behind it: it names the
 * thing, as the server's log and the documentation do.
 * @param {{ code: string, message: string, hint: string }} failure
 */
export function sayFailure({ code, message, hint }) {
  const english = `${message.charAt(0).toUpperCase()}${message.slice(1)}. ${hint}`.trim();
  const chinese = isChinese && CHINESE[code];
  return chinese ? `${chinese}（${english}）` : english;
}

/**
 * Translates what the document itself says: `data-say` names attributes, or nothing for the text.
 * @param {ParentNode} root
 */
export function translate(root) {
  if (!isChinese) return;
  document.documentElement.lang = "zh-CN";
  for (const element of root.querySelectorAll("[data-say]")) {
    const names = element.getAttribute("data-say");
    if (!names) element.textContent = say((element.textContent ?? "").trim().replace(/\s+/g, " "));
    for (const name of names?.split(" ").filter(Boolean) ?? []) {
      element.setAttribute(name, say(element.getAttribute(name) ?? ""));
    }
  }
}
