/** @file The examples of the specifications, which scripts/specifications.py has fetched. */

import { readFileSync } from "node:fs";

const FENCE = "`".repeat(32);

/**
 * @param {"commonmark" | "gfm"} name
 * @returns {{ number: number, markdown: string, html: string }[]}
 */
export function examples(name) {
  const path = new URL(`../../../.cache/specifications/${name}.txt`, import.meta.url);
  const parts = readFileSync(path, "utf8").replaceAll("→", "\t").split(new RegExp(`^${FENCE} example[^\n]*\n`, "m")).slice(1);
  return parts.map((part, index) => {
    const [example] = part.split(new RegExp(`^${FENCE}$`, "m"));
    const [markdown, html] = example.split(/^\.\n/m);
    return { number: index + 1, markdown, html };
  });
}
