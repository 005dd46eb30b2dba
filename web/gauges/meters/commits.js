/** @file What it costs to bring the document up to the text. */

import { say } from "../../words.js";
import { count, spread } from "../amounts.js";
import { quantiles, Recent, sum } from "../recent.js";

/** @import { Cell, Commit, Meter } from "../meter.js" */

/** @implements {Meter} */
export class Commits {
  #ms = new Recent();
  #lengths = new Recent();

  /** @type {Cell[]} */
  cells = [
    {
      stage: "dom",
      label: say("commit"),
      definition: say(
        "From before the text is read as Markdown until the document shows it and has scrolled, once a frame at most: median / 95th percentile.",
      ),
      shown: ({ commitP50Ms, commitP95Ms }) => spread(commitP50Ms, commitP95Ms),
    },
    {
      stage: "dom",
      label: say("characters"),
      definition: say("Characters a commit, on average, in the last 5 seconds. A slow page gets fewer, larger commits."),
      shown: ({ lengthPerCommit }) => count(lengthPerCommit),
    },
  ];

  /** @param {Commit} commit */
  committed({ length, ms, endedAt }) {
    this.#ms.add(endedAt, ms);
    this.#lengths.add(endedAt, length);
  }

  /** @param {number} since */
  figures(since) {
    const lengths = this.#lengths.values(since);
    const [commitP50Ms = null, commitP95Ms = null] = quantiles(this.#ms.values(since), 0.5, 0.95);
    return { commitP50Ms, commitP95Ms, lengthPerCommit: lengths.length > 0 ? sum(lengths) / lengths.length : null };
  }

  samples() {
    return { commitMs: this.#ms.values() };
  }
}
