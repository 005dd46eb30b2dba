/** @file The meters, in the order of the way. */

import { Commits } from "./meters/commits.js";
import { Cost } from "./meters/cost.js";
import { Delivery } from "./meters/delivery.js";
import { Frames } from "./meters/frames.js";
import { Lag } from "./meters/lag.js";
import { Memory } from "./meters/memory.js";
import { Rate } from "./meters/rate.js";
import { Tasks } from "./meters/tasks.js";
import { Waiting } from "./meters/waiting.js";

/** @import { Meter } from "./meter.js" */

/**
 * @param {Cost} cost
 * @returns {Meter[]}
 */
export const newMeters = (cost) => [
  new Rate(),
  new Delivery(),
  new Waiting(),
  new Commits(),
  new Lag(),
  new Frames(),
  new Tasks(),
  new Memory(),
  cost,
];
