/**
 * @file What a meter is, and the figures that all of them give together.
 *
 * Times are `wallClock()` milliseconds, comparable with the worker's. A figure
 * is null where nothing is known of it. Unless it says otherwise it is of the
 * last WINDOW_MS before now, or before the end of the last answer.
 */

/** Long enough for fifty tokens of a slow model, short enough to be about now. */
export const WINDOW_MS = 5000;

/**
 * A stage of the way from the model to the screen.
 * @typedef {"model" | "transport" | "waiting" | "dom" | "paint"} Stage
 *
 * A text message, as it was received.
 * @typedef {object} Batch
 * @property {number} id      of its answer
 * @property {number} batch   1, 2, 3, … within the answer
 * @property {number} tokens
 * @property {number} length  code units
 * @property {number} sentAt  by the worker
 * @property {number} receivedAt
 *
 * @typedef {object} Commit
 * @property {number} length  code units
 * @property {number} ms      it took
 * @property {number} endedAt
 *
 * What is known of a batch once it is on the screen.
 * @typedef {object} Painting
 * @property {number} paintedAt    after the frame's rendering
 * @property {Frame | null} frame  null: not the first batch of its frame, or shown without one
 *
 * @typedef {object} Frame
 * @property {number} beganAt      when the browser asked for it
 * @property {number} committedAt  when its commit began
 */

/**
 * @typedef {object} Figures
 * @property {number} batches             text messages
 * @property {number | null} tokensPerS   decoded in the worker
 * @property {number | null} stepMs       the median time of a token
 * @property {number | null} deliveryP50Ms
 * @property {number | null} deliveryP95Ms
 * @property {number} waitingLength       code units received and not in the document
 * @property {number} mostWaitingLength
 * @property {number} unpaintedBatches
 * @property {number} mostUnpaintedBatches
 * @property {number} oldestUnpaintedMs   0: none
 * @property {number | null} commitP50Ms
 * @property {number | null} commitP95Ms
 * @property {number | null} lengthPerCommit
 * @property {number | null} lagP50Ms
 * @property {number | null} lagP95Ms
 * @property {number} framesShown
 * @property {number} framesMissed
 * @property {number | null} frameWorkP50Ms
 * @property {number} refreshMs
 * @property {boolean} isRefreshMeasured
 * @property {number | null} longestTaskMs  since the panel was opened
 * @property {string} longestTaskIn         the script that took most of it; empty: not known
 * @property {number | null} longTaskShare  of the window, 0 to 1
 * @property {number | null} memoryBytes
 * @property {string} memoryBy              the interface that says so
 * @property {number} ownShare              of the time the panel is open, 0 to 1
 */

/**
 * One figure, or two that belong together, as the panel shows them.
 * @typedef {object} Cell
 * @property {Stage | null} stage
 * @property {string} label
 * @property {string} definition  what is measured, between which two moments
 * @property {(figures: Figures) => string} shown
 *
 * @typedef {object} Meter
 * @property {Cell[]} cells
 * @property {(batch: Batch) => void} [received]
 * @property {(commit: Commit) => void} [committed]
 * @property {(batch: Batch, painting: Painting) => void} [painted]
 * @property {() => void} [start]  observers and timers
 * @property {() => void} [stop]   takes them away
 * @property {() => void} [rest]   no answer is being made, and none was a moment ago
 * @property {(since: number) => Partial<Figures>} figures
 * @property {() => Record<string, Float64Array>} [samples]  what is kept of single values, oldest first
 */

/** @type {Figures} */
const NOTHING = {
  batches: 0,
  tokensPerS: null,
  stepMs: null,
  deliveryP50Ms: null,
  deliveryP95Ms: null,
  waitingLength: 0,
  mostWaitingLength: 0,
  unpaintedBatches: 0,
  mostUnpaintedBatches: 0,
  oldestUnpaintedMs: 0,
  commitP50Ms: null,
  commitP95Ms: null,
  lengthPerCommit: null,
  lagP50Ms: null,
  lagP95Ms: null,
  framesShown: 0,
  framesMissed: 0,
  frameWorkP50Ms: null,
  refreshMs: 1000 / 60,
  isRefreshMeasured: false,
  longestTaskMs: null,
  longestTaskIn: "",
  longTaskShare: null,
  memoryBytes: null,
  memoryBy: "",
  ownShare: 0,
};

/**
 * @param {Meter[]} meters
 * @param {number} since
 * @returns {Figures}
 */
export function figuresOf(meters, since) {
  const figures = { ...NOTHING };
  for (const meter of meters) Object.assign(figures, meter.figures(since));
  return figures;
}
