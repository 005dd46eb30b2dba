/** @file The languages that code is highlighted in, fetched with the first code of each. */

import { htmlMode } from "./html.js";
import { LineReader } from "./lines.js";
import { phpMode } from "./php.js";

/** @import { Mode } from "./lines.js" */

/** What reads it: a module's export, or what is made of modules. @typedef {{ modules: string[], made: string | ((...modules: any[]) => Mode) }} Language */

/** Its modules, what they export or are made into, and what a fence may call it. @type {[string, Language["made"], string][]} */
const TABLE = [
  ["javascript", "javascript", "javascript js jsx mjs cjs node ecmascript"],
  ["javascript", "typescript", "typescript ts tsx mts cts"],
  ["javascript", "json", "json json5 jsonc jsonl ndjson geojson"],
  ["python", "python", "python py python3 py3 pyi ipython pycon"],
  ["clike", "c", "c h"],
  ["clike", "cpp", "cpp c++ cc cxx hpp hxx cuda arduino ino"],
  ["clike", "csharp", "csharp c# cs"],
  ["clike", "java", "java"],
  ["clike", "kotlin", "kotlin kt kts"],
  ["clike", "scala", "scala sc"],
  ["clike", "dart", "dart"],
  ["clike", "objectiveC", "objectivec objective-c objc"],
  ["clike", "shader", "glsl hlsl shader"],
  ["clike", phpMode, "php php3 php4 php5 phtml"],
  ["go", "go", "go golang"],
  ["rust", "rust", "rust rs"],
  ["swift", "swift", "swift"],
  ["ruby", "ruby", "ruby rb"],
  ["perl", "perl", "perl pl pm"],
  ["lua", "lua", "lua luau"],
  ["r", "r", "r rscript"],
  ["julia", "julia", "julia jl"],
  ["haskell", "haskell", "haskell hs"],
  ["clojure", "clojure", "clojure clj cljs edn"],
  ["octave", "octave", "octave matlab"],
  ["shell", "shell", "shell sh bash zsh ksh console shellsession shell-session terminal"],
  ["powershell", "powerShell", "powershell ps1 pwsh posh"],
  ["sql", "standardSQL", "sql ansi-sql hql bigquery snowflake"],
  ["sql", "mySQL", "mysql mariadb"],
  ["sql", "pgSQL", "postgresql postgres pgsql psql"],
  ["sql", "sqlite", "sqlite sqlite3"],
  ["sql", "msSQL", "tsql t-sql mssql"],
  ["sql", "plSQL", "plsql pl/sql"],
  ["css", "css", "css"],
  ["css", "sCSS", "scss sass"],
  ["css", "less", "less"],
  ["xml javascript css", htmlMode, "html htm xhtml html5 vue svelte"],
  ["xml", "xml", "xml svg rss xsd xsl xslt plist mathml"],
  ["yaml", "yaml", "yaml yml"],
  ["toml", "toml", "toml"],
  ["properties", "properties", "ini properties conf cfg dotenv env editorconfig"],
  ["diff", "diff", "diff patch"],
  ["dockerfile", "dockerFile", "dockerfile docker containerfile"],
  ["cmake", "cmake", "cmake"],
  ["nginx", "nginx", "nginx"],
  ["protobuf", "protobuf", "protobuf proto"],
  ["stex", "stex", "latex tex"],
];

/** @type {Map<string, Language>} */
const LANGUAGES = new Map(
  TABLE.flatMap(([modules, made, names]) => {
    const language = { modules: modules.split(" "), made };
    return names.split(" ").map((name) => /** @type {const} */ ([name, language]));
  }),
);

/**
 * The language that a fence names. The name is a model's word: it is looked up, and nothing else.
 * @param {string} info  "python", "Python:main.py", "{.python}", "js{1,3}"
 * @returns {Language | undefined}
 */
export function languageNamed(info) {
  const name = /^\{?\.?([^\s:,{}]+)/.exec(info)?.[1];
  return name === undefined ? undefined : LANGUAGES.get(name.toLowerCase());
}

/** All names, for tests and for the curious. */
export const languageNames = [...LANGUAGES.keys()];

/** @param {Language} language */
export async function readerOf({ modules, made }) {
  const [{ StringStream }, ...loaded] = await Promise.all([
    load("streamparser/index"),
    ...modules.map((name) => load(`legacy-modes/${name}`)),
  ]);
  return new LineReader(typeof made === "string" ? loaded[0][made] : made(...loaded), StringStream);
}

/**
 * From our own origin, once: the browser keeps it.
 * @param {string} name
 * @returns {Promise<any>}
 */
function load(name) {
  return import(new URL(`../vendor/${name}.js`, import.meta.url).href);
}
