// Fault A: a model on the page's own thread. A small classifier reads every 32 pieces again, and
// nothing is drawn meanwhile. It costs the same at the end of a long answer as at its beginning.

import { query, start } from "./chat.js";
import { TextAnswer } from "./text.js";

const WINDOW = Number(query.get("every") ?? 32);
const LAYERS = 16;
const WIDTH = 512;

const weights = Float32Array.from(
  { length: WIDTH * WIDTH },
  (_, i) => (2 * Math.sin(i * i)) / Math.sqrt(WIDTH),
);

/** @param {string[]} pieces @returns {number} how suspicious they are */
function classify(pieces) {
  let state = new Float32Array(WIDTH);
  for (const piece of pieces) {
    for (let i = 0; i < piece.length; i++) state[i % WIDTH] += piece.charCodeAt(i) / 128;
    for (let layer = 0; layer < LAYERS; layer++) state = multiply(state);
  }
  return state.reduce((sum, value) => sum + value, 0);
}

/** @param {Float32Array} state */
function multiply(state) {
  const next = new Float32Array(WIDTH);
  for (let row = 0; row < WIDTH; row++) {
    let sum = 0;
    for (let column = 0; column < WIDTH; column++) {
      sum += weights[row * WIDTH + column] * state[column];
    }
    next[row] = Math.tanh(sum);
  }
  return next;
}

class ClassifiedAnswer extends TextAnswer {
  /** @type {string[]} */
  window = [];

  /** @override @param {string} piece */
  push(piece) {
    this.window.push(piece);
    if (this.window.length === WINDOW) {
      this.body.title = `suspicion ${classify(this.window).toFixed(3)}`;
      this.window = [];
    }
    super.push(piece);
  }
}

start({ Answer: ClassifiedAnswer });
