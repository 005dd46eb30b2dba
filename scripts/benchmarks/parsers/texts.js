/** @file The texts: a part of 10 kB, and again, so that growth is by length and by nothing else. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";

export const PARTS = 10;
const PART_LENGTH = 10_000;

const MIXED = ["essay-on-walking", "binary-search-explained", "laptop-comparison-under-1000"];

const LINE = "  const total = items.reduce((sum, item) => sum + item.price * item.count, 0); // of all\n";
const PROSE =
  "Most of what a page does is **waiting**: for the network, for the disk, for a `worker` that is busy, and now and " +
  "then for [a reader](https://example.org/reader) who has *long* gone on to the next line. ";

/**
 * @typedef {object} Text
 * @property {"blocks" | "block"} kind
 * @property {string} opening  before the first part
 * @property {string} part
 */

/** @type {Record<string, (repository: string) => Text | Promise<Text>>} */
export const TEXTS = {
  /** Prose, lists, code and tables, as three answers have them. */
  answers: async (repository) => {
    const folder = join(repository, "tests", "js", "markdown", "answers");
    const texts = await Promise.all(MIXED.map((name) => readFile(join(folder, `${name}.md`), "utf-8")));
    return { kind: "blocks", opening: "", part: texts.map((text) => `${text.trimEnd()}\n\n`).join("") };
  },
  /** One paragraph without an end. */
  paragraph: () => ({ kind: "block", opening: "", part: PROSE.repeat(PART_LENGTH / PROSE.length) }),
  /** One code block without an end. */
  fence: () => ({ kind: "block", opening: "```js\n", part: LINE.repeat(PART_LENGTH / LINE.length) }),
};
