/** @file What the page says, in Chinese. Tests look for words that are missing here, and for words in vain. */

/** English → 简体中文. A failure is looked up by its code, a reason by its words. @type {Record<string, string>} */
export const CHINESE = {
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
  "This conversation was deleted in another tab": "这个对话已在另一个标签页中删除",
  "What followed is kept: ‹ shows it again": "后面的内容仍保留：按 ‹ 可再次显示",
  "The conversation is being opened": "正在打开对话",
  "The queue is full: wait for an answer, or press Stop": "队列已满：请等一个回答结束，或按“停止”",

  // An answer
  "Thinking…": "思考中…",
  Thought: "思考过程",
  Copy: "复制",
  Copied: "已复制",
  "Not allowed": "浏览器不允许",
  Save: "保存",
  "Copy this code": "复制这段代码",
  "Save this code as a file": "保存这段代码为文件",
  Done: "已完成",
  "To do": "待办",
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
  "ended at a stop string": "遇到停止字符串",
  "tokens/s: (tokens − 1) ÷ the time from the first token to the last, in the worker. TTFT: from the worker's receipt of the prompt to its first token.":
    "词元/秒：（词元数 − 1）÷ Worker 中从第一个词元到最后一个的时间。首个词元：从 Worker 收到提示到它的第一个词元。",

  // The composer: files, drafts, the count of its tokens
  "Drop text files: they become part of your message": "松开鼠标，把文本文件加入你的消息",
  "{count} of {window} tokens": "{count} / {window} 个词元",
  "{count} tokens; with the conversation {total} of {window}": "{count} 个词元；连同对话 {total} / {window}",
  "{count} of {window} tokens: too long for this model. Shorten it": "{count} / {window} 个词元：超出模型的上下文长度，请缩短",
  "With the conversation {total} of {window} tokens: too long. Shorten it, or start a new chat":
    "连同对话共 {total} / {window} 个词元：太长了。请缩短，或开始新对话",
  file_folder: "这是文件夹，没有加入。请选择里面的文件。",
  file_large: "文件太大，没有加入：一次最多 1 MB。请只加入一部分。",
  file_unreadable: "文件无法读取，没有加入。请确认它还在。",
  file_binary: "文件不是 UTF-8 或 UTF-16 文本，没有加入。如果是文本，请存为 UTF-8。",
  file_empty: "文件是空的，没有加入。",
  drafts_unkept: "没有发送的内容无法保存，关闭页面后会丢失。",

  // Footnotes
  "Note {number}": "脚注 {number}",
  "Note {number}: back to the text": "脚注 {number}：回到正文",

  // Messages
  Edit: "编辑",
  Regenerate: "重新生成",
  Continue: "继续",
  Delete: "删除",
  Cancel: "取消",
  "Copy this message": "复制这条消息",
  "Edit this message and send it again": "编辑这条消息并重新发送",
  "Make another answer": "再生成一个回答",
  "Ask for this answer again": "重新请求这个回答",
  "Go on with this answer": "接着写这个回答",
  "Delete this message and what follows it": "删除这条消息和它之后的内容",
  "Take this prompt out of the queue": "把这条提示移出队列",
  "Earlier version": "上一个版本",
  "Later version": "下一个版本",
  "Version {at} of {count}": "第 {at} 个版本，共 {count} 个",
  "The message was deleted": "消息已删除",
  "{count} messages were deleted": "已删除 {count} 条消息",
  "Interrupted: the page went away while this was written": "已中断：写到这里时页面关闭了",
  "This answer failed": "这个回答失败了",
  "Being written in another tab": "正在另一个标签页里生成",

  "An answer is being written": "正在写回答",
  "The answer is complete": "回答完成",
  "The answer's sentences": "回答的句子",
  "Screen readers: read an answer's sentences as they come": "屏幕阅读器：边生成边朗读回答的句子",

  // Conversations
  Conversations: "对话列表",
  "Search conversations": "搜索对话",
  "Nothing found": "没有找到",
  "No conversations yet": "还没有对话",
  "Show more": "显示更多",
  Untitled: "未命名",
  "Rename, export or delete “{title}”": "重命名、导出或删除“{title}”",
  Rename: "重命名",
  "Rename the conversation": "重命名对话",
  "Save as Markdown": "存为 Markdown",
  "Save as JSON": "存为 JSON",
  "Import…": "导入…",
  "Export all": "全部导出",
  "“{title}” was deleted": "“{title}”已删除",
  "1 conversation was imported": "已导入 1 个对话",
  "{count} conversations were imported": "已导入 {count} 个对话",
  Undo: "撤销",
  Close: "关闭",

  // Settings
  Settings: "设置",
  "Save settings": "保存设置",
  Reset: "恢复默认",
  "System prompt": "系统提示",
  Sampling: "采样",
  Temperature: "温度",
  "0: always the likeliest token": "0：总是取最可能的词元",
  "1: off": "1：关闭",
  "0: off": "0：关闭",
  "Repetition penalty": "重复惩罚",
  "Most tokens": "最多词元数",
  "empty: the model's own limit": "留空：用模型自己的上限",
  Seed: "随机种子",
  "empty: a new one each time": "留空：每次不同",
  "Stop strings": "停止字符串",
  "one a line; \\n is a line break": "每行一个；\\n 表示换行",
  Keys: "快捷键",
  "New line": "换行",
  "Edit the last message, in an empty prompt": "提示为空时编辑上一条消息",
  "Gauges (F2)": "仪表（F2）",
  "Add a text file": "添加文本文件",
  settings_refused: "浏览器不为这个页面保存设置。关闭页面前设置有效；非隐私窗口会保存设置。",

  // The gauges: what is measured, and which stage limits
  Gauges: "仪表",
  Model: "模型",
  Transport: "传输",
  Waiting: "等待",
  Document: "文档",
  Screen: "屏幕",
  "the limit": "瓶颈",
  "What these mean": "这些数字的含义",
  "tokens/s": "词元/秒",
  step: "每词元",
  delivery: "送达",
  batches: "批次",
  text: "字符",
  unpainted: "未显示批次",
  commit: "提交",
  characters: "每次字符",
  lag: "延迟",
  missed: "错过的帧",
  refresh: "刷新间隔",
  "longest task": "最长任务",
  memory: "内存",
  "these gauges": "仪表自身",
  "Nothing streams.": "现在没有输出。",
  "The model is the limit: its text is shown as it comes. Nothing to fix here.":
    "瓶颈是模型：它的文字一来就显示。这里没有什么要修的。",
  "The model is the limit: no text comes from it. It loads, reads the prompt, or computes.":
    "瓶颈是模型：它还没有给出文字，正在加载、读取提示或计算。",
  "The page is the limit: bringing the document up to the text takes {time}.": "瓶颈是页面：把文字写进文档要 {time}。",
  "The page is the limit: other work keeps it from its frames.": "瓶颈是页面：别的工作占住了它，帧画不出来。",
  "The page is the limit: other work keeps it from its frames, most of all {script}.":
    "瓶颈是页面：别的工作占住了它，帧画不出来，最多的是 {script}。",
  "The transport is the limit: messages take {time}, though the page has time for them.":
    "瓶颈是传输：页面有空，消息却要 {time} 才到。",
  "The machine is the limit: frames come late, though the page has time for them. Something else has the processor.":
    "瓶颈是机器：页面有空，帧却来得晚。处理器被别的程序占用了。",
  "Tokens of the batches ÷ the time between the moments the worker sent them, in the last 5 seconds: the model's own pace, whatever the page does.":
    "最近 5 秒内各批次的词元数 ÷ Worker 发出它们的时间间隔：模型自己的速度，与页面无关。",
  "Median time of a token: between two batches as the worker sent them ÷ the tokens of the second.":
    "每个词元所用时间的中位数：Worker 发出相邻两批的间隔 ÷ 后一批的词元数。",
  "From the moment the worker sends a batch to the moment the page receives it: median / 95th percentile. A page that is busy receives late.":
    "从 Worker 发出一批到页面收到它：中位数 / 第 95 百分位。页面忙的时候收到得晚。",
  "Text messages received in the last 5 seconds; the worker sends at most one in 16 ms.":
    "最近 5 秒收到的文字消息数；Worker 每 16 ms 最多发一条。",
  "Characters that were received and are not in the document: now / the most in the last 5 seconds.":
    "已收到但还没写进文档的字符：现在 / 最近 5 秒的最大值。",
  "Batches that were received and are not on the screen: now / the most in the last 5 seconds. The worker sends no more while there are two; text then waits with it.":
    "已收到但还没显示的批次：现在 / 最近 5 秒的最大值。有两批未显示时 Worker 不再发送，文字在它那里等待。",
  "From before the text is read as Markdown until the document shows it and has scrolled, once a frame at most: median / 95th percentile.":
    "从开始解析文字到文档写好并滚动到位，每帧最多一次：中位数 / 第 95 百分位。",
  "Characters a commit, on average, in the last 5 seconds. A slow page gets fewer, larger commits.":
    "最近 5 秒每次提交的平均字符数。页面慢的时候，提交更少、更大。",
  "From the moment the worker sends a batch until the frame that shows it is rendered: median / 95th percentile. A frame at 60 Hz is 17 ms.":
    "从 Worker 发出一批到显示它的那一帧画完：中位数 / 第 95 百分位。60 Hz 的一帧是 17 ms。",
  "Frames that went by while text waited, as a share of those and the frames that showed text, in the last 5 seconds. Measured in slots of the screen's refresh rate.":
    "最近 5 秒里文字在等待时错过的帧，占这些帧与显示了文字的帧之和的比例。按屏幕的刷新间隔计算。",
  "Time between two frames of the screen, measured while the page has nothing to do; ≈: not measured, 60 Hz assumed.":
    "屏幕两帧之间的时间，在页面空闲时测得；≈：未能测得，按 60 Hz 计算。",
  "The longest task over 50 ms of the page's main thread since the gauges were opened, and the script that took most of the longest frame. A dash: there was none, or this browser does not tell.":
    "打开仪表以来页面主线程上超过 50 ms 的最长任务，以及最长的一帧里用时最多的脚本。短横：没有，或浏览器不提供。",
  "JavaScript and DOM memory of the page and its worker, measured twice a minute; *: the page's own JavaScript alone, where the browser tells no more, or not yet. Memory of the GPU is not in it.":
    "页面和 Worker 的脚本与文档所用内存，每分钟测两次；*：浏览器只提供了页面自身的脚本内存，或还没有测完。不含 GPU 内存。",
  "Time spent in the gauges' own code ÷ the time they have been open. What the browser takes to draw them is not in it.":
    "仪表自身代码所用的时间 ÷ 打开的时间。不含浏览器绘制它们的时间。",

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

  // Keeping conversations: failures, by their codes
  storage_refused: "浏览器不允许在这里保存对话。对话只保留到关闭这个标签页为止；需要的内容请导出。",
  storage_full: "没有空间保存对话了。已保存的对话还在，新的内容只保留到关闭这个标签页为止：请删除或导出一些对话，然后重新加载页面。",
  storage_newer: "已保存的对话属于更新版本的 Pageside，没有改动。请重新加载页面以使用新版本；这里的新内容只保留到关闭这个标签页为止。",
  storage_lost: "对话不再被保存。新的内容只保留到关闭这个标签页为止；重新加载页面后可以继续保存。",
  import_invalid: "这个文件无法导入，没有导入任何内容。",
  import_too_large: "这个文件太大，没有导入任何内容。",

  // Failures, by their codes: what it means and what to do
  file_missing: "服务器上缺少一个文件。请在服务器上运行 pageside models pull，然后重试。",
  server_gone: "服务器没有回应。请确认 pageside serve 仍在运行，然后重试。",
  weights_corrupt: "模型文件损坏。请在服务器上运行 pageside models pull 修复，然后重试。",
  insecure_context: "这个地址不是安全上下文，浏览器不提供模型所需的功能。请用 http://localhost 或 https 打开页面。",
  tokenizer_unsupported: "不支持这个模型的分词器。请换一个模型。",
  prompt_empty: "提示是空的。请写点什么。",
  prompt_too_long: "提示超出了模型的上下文长度。请缩短它，或开始新对话。",
  sampling_invalid: "有一项采样设置的值无效。请改正它。",
  not_continuable: "这个回答不能继续。请重新提问。",
  session_failed: "引擎无法启动。请重试；如果仍然失败，请重新加载页面。",
  wrong_answer: "这台设备算出的结果不对，因此不使用它。",
  device_lost: "GPU 设备丢失。重试会重新加载模型。",
  script_error: "脚本在这里报告了错误。",
  script_missing: "没有要播放的脚本。请用 --script 指定一个。",
  internal: "页面内部出错。请重试；如果仍然失败，请重新加载页面。",
  no_backend: "没有可用的后端了。请重新加载页面。",
  worker_lost: "引擎意外结束。重试会启动新的引擎。",
};
