/** @file For tests/js/test_markdown_law.py: each line is a text in pieces, and answered with both of its HTMLs. */

import { createInterface } from "node:readline";
import { htmlOf } from "./html.js";

for await (const line of createInterface({ input: process.stdin })) {
  const pieces = JSON.parse(line);
  process.stdout.write(`${JSON.stringify([htmlOf(pieces), htmlOf([pieces.join("")])])}\n`);
}
