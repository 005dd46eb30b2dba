/** @file Long answers, as models write them: what comes in pieces is what comes at once. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { randomPieces } from "../splits.js";
import { htmlOf } from "./html.js";

const FOLDER = new URL("answers/", import.meta.url);
const names = readdirSync(FOLDER);
const RANDOM_SPLITS = 200;

test("there are enough of them", () => assert.ok(names.length >= 30));

for (const name of names) {
  test(name, () => {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    const whole = htmlOf([text]);
    assert.equal(htmlOf([...text]), whole, "character by character");
    for (let seed = 1; seed <= RANDOM_SPLITS; seed++) {
      assert.equal(htmlOf(randomPieces(text, seed)), whole, `seed ${seed}`);
    }
  });
}
