import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { randomPieces } from "../splits.js";
import { examples } from "./examples.js";
import { htmlOf } from "./html.js";

/** Examples that are not met, and why. GFM's own specification has CommonMark's examples, of which its
 * extensions, played together, contradict some. */
const NOT_MET = {
  commonmark: {
    "GFM's addresses without brackets are links": [602, 606, 608, 611, 612],
  },
  gfm: {
    "GFM's own addresses without brackets are links": [610, 614, 616, 619, 620],
    "CommonMark 0.31.2 nests <strong> in <strong>": [398, 426, 434, 435, 436, 473, 474, 475, 477],
    "no tag is let through, so none is filtered": [652],
  },
};
const LEAST = { commonmark: 652, gfm: 672 };
const RANDOM_SPLITS = 200;

for (const [name, reasons] of Object.entries(NOT_MET)) {
  const all = examples(name);
  const excepted = new Set(Object.values(reasons).flat());

  describe(name, () => {
    test("every example is met, but for those that are listed", () => {
      assert.equal(all.length, LEAST[name]);
      const failed = all.filter(({ markdown, html }) => htmlOf([markdown]) !== html);
      assert.deepEqual(new Set(failed.map(({ number }) => number)), excepted);
    });

    test("and the same over every split", () => {
      for (const { number, markdown } of all) {
        const whole = htmlOf([markdown]);
        assert.equal(htmlOf([...markdown]), whole, `example ${number}, character by character`);
        for (let seed = 1; seed <= RANDOM_SPLITS; seed++) {
          // Most examples are shorter than a piece of 40.
          const pieces = randomPieces(markdown, seed, seed % 2 ? 40 : 5);
          assert.equal(htmlOf(pieces), whole, `example ${number}, seed ${seed}: ${JSON.stringify(pieces)}`);
        }
      }
    });
  });
}
