/** @file Puts text on the page, at most once a frame. */

/**
 * A text node past this is closed at the next space, code units. An append
 * repaints the lines of its node: at 4,096 that cost 0.5 ms an update more than
 * at 1,024; far smaller nodes cost more in layout.
 */
export const NODE_LENGTH = 1024;

/**
 * Text that arrives between two frames is appended together in the next
 * frame's rendering step; nothing already on the page is written again. A
 * hidden page has no frames: there text is appended as it comes, which the
 * worker's batcher has already paced.
 */
export class Painter {
  #pending = "";
  #frame = 0;
  #node = document.createTextNode("");
  /** @type {(() => void)[]} */
  #unacknowledged = [];
  #onVisibility = () => document.hidden && this.flush();

  /**
   * @param {Element} output
   * @param {() => void} onCommit  called after each append, in its frame
   */
  constructor(output, onCommit) {
    this.output = output;
    this.onCommit = onCommit;
    output.append(this.#node);
    document.addEventListener("visibilitychange", this.#onVisibility);
  }

  /**
   * @param {string} text
   * @param {() => void} painted  called once the frame that shows it is through
   */
  append(text, painted) {
    this.#pending += text;
    this.#unacknowledged.push(painted);
    if (document.hidden) this.flush();
    else this.#frame ||= requestAnimationFrame(() => this.flush());
  }

  /** Appends what waits, now. */
  flush() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const text = this.#pending;
    this.#pending = "";
    if (text !== "") {
      this.#write(text);
      this.onCommit();
    }
    afterFrame(this.#unacknowledged.splice(0));
  }

  /** Appends what waits and takes no more. */
  close() {
    this.flush();
    document.removeEventListener("visibilitychange", this.#onVisibility);
  }

  /** @param {string} text */
  #write(text) {
    for (let rest = text; rest; ) {
      const length = pieceLength(rest, NODE_LENGTH - this.#node.length);
      this.#node.appendData(rest.slice(0, length));
      rest = rest.slice(length);
      if (rest) this.#node = this.output.appendChild(document.createTextNode(""));
    }
  }
}

/**
 * How much of `text` goes into a node with so much room: all of it, or up to a
 * space, so that no character, accent or joined emoji is cut between nodes.
 * Without a space for two nodes' length it is cut all the same.
 * @param {string} text
 * @param {number} room  may be negative
 * @returns {number}
 */
export function pieceLength(text, room) {
  if (text.length <= room) return text.length;
  const least = Math.max(room, 0);
  const most = Math.max(room + NODE_LENGTH, 0);
  const space = text.slice(least, most).search(/\s/);
  if (space >= 0) return least + space;
  if (text.length <= most) return text.length;
  return isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
}

/** @param {number} unit */
const isHighSurrogate = (unit) => unit >= 0xd800 && unit <= 0xdbff;

const channel = new MessageChannel();
/** @type {(() => void)[]} */
let due = [];
channel.port1.onmessage = () => {
  for (const callback of due.splice(0)) callback();
};

/**
 * A message posted in a frame's callbacks is delivered after its rendering:
 * what is acknowledged then has been painted.
 * @param {(() => void)[]} callbacks
 */
function afterFrame(callbacks) {
  if (callbacks.length === 0) return;
  due.push(...callbacks);
  channel.port2.postMessage(null);
}
