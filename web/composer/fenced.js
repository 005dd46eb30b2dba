/** @file A text file as it stands in a prompt: its name, and its text in a fence. */

/** Where a language's name is not its files' ending. @type {Record<string, string>} */
const LANGUAGES = {
  bash: "bash",
  cc: "cpp",
  cjs: "javascript",
  cs: "csharp",
  cxx: "cpp",
  erl: "erlang",
  ex: "elixir",
  exs: "elixir",
  h: "c",
  hpp: "cpp",
  hs: "haskell",
  htm: "html",
  jl: "julia",
  js: "javascript",
  kt: "kotlin",
  kts: "kotlin",
  m: "objectivec",
  md: "markdown",
  mjs: "javascript",
  mts: "typescript",
  pl: "perl",
  ps1: "powershell",
  py: "python",
  pyi: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  tex: "latex",
  ts: "typescript",
  txt: "text",
  yml: "yaml",
  zsh: "bash",
};

/** Where it is. */
const SAME = new Set(
  "c clj cpp css csv dart diff go gradle graphql groovy html ini java json jsonl jsx less lua nix php proto r sass scala scss sql svg svelte swift tf toml tsx vue xml yaml zig".split(" "),
);

/** Files that have a language and no ending of it. @type {Record<string, string>} */
const NAMES = { dockerfile: "dockerfile", makefile: "makefile", "cmakelists.txt": "cmake" };

/**
 * The fence is longer than any run of backticks in the text, which so cannot end it.
 * @param {string} name
 * @param {string} text
 */
export function fenced(name, text) {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length + 1), 3));
  const end = text.endsWith("\n") ? "" : "\n";
  // On some systems a name may hold a line's end, and would be several lines.
  return `${name.replace(/\p{Cc}/gu, " ")}\n${fence}${languageOf(name)}\n${text}${end}${fence}\n`;
}

/** @param {string} name  of a file @returns {string}  empty: none that is known */
export function languageOf(name) {
  const small = name.toLowerCase();
  if (Object.hasOwn(NAMES, small)) return NAMES[small] ?? "";
  const ending = small.includes(".") ? small.slice(small.lastIndexOf(".") + 1) : "";
  if (Object.hasOwn(LANGUAGES, ending)) return LANGUAGES[ending] ?? "";
  return SAME.has(ending) ? ending : "";
}
