// Pages that an audit could be wrong about: each is odd in one way.
//
//   ?mode=NAME   a key of ODD
//   ?at=N        the word w<N> at which "nothing", "navigates" and "hang" turn odd

import { query, start } from "./chat.js";
import { TextAnswer } from "./text.js";

const AT = Number(query.get("at"));

/** Turns odd with the word w<AT>, which it does not paint. */
class TurningAnswer extends TextAnswer {
  /** @override @param {string} piece */
  push(piece) {
    const word = /w(\d+)/.exec(piece);
    if (word && Number(word[1]) >= AT) this.turn();
    else super.push(piece);
  }

  turn() {}
}

class NavigatingAnswer extends TurningAnswer {
  /** @override */
  turn() {
    location.href = "clean-text.html";
  }
}

class HangingAnswer extends TurningAnswer {
  /** @override */
  turn() {
    for (;;);
  }
}

class TwiceAnswer extends TextAnswer {
  /** @override @param {string} piece */
  push(piece) {
    super.push(piece);
    super.push(piece);
  }
}

class UnseenAnswer extends TextAnswer {
  /** @override @param {HTMLElement} body @param {() => void} follow */
  constructor(body, follow) {
    super(body, follow);
    body.style.opacity = "0";
  }
}

class LateAnswer extends TextAnswer {
  /** @override */
  schedule() {}
}

class FramedAnswer extends TextAnswer {
  /** @override @param {HTMLElement} body @param {() => void} follow */
  constructor(body, follow) {
    super(body, follow);
    const inside = body.appendChild(document.createElement("iframe")).contentDocument;
    if (!inside) throw new Error("the frame has no document");
    this.body = inside.body;
  }
}

class CutApartAnswer extends TextAnswer {
  /** @override @param {string} text @param {boolean} begins */
  append(text, begins) {
    super.append("", begins);
    for (const character of text) {
      const span = document.createElement("span");
      span.textContent = character;
      this.paragraph?.append(span);
    }
  }
}

/** @type {Record<string, typeof TextAnswer>} */
const ODD = {
  nothing: TurningAnswer,
  navigates: NavigatingAnswer,
  hang: HangingAnswer,
  twice: TwiceAnswer,
  unseen: UnseenAnswer,
  late: LateAnswer,
  frame: FramedAnswer,
  cutapart: CutApartAnswer,
  "always-stop": TextAnswer,
};

function keepStop() {
  const stop = /** @type {HTMLButtonElement} */ (document.querySelector("form [type=button]"));
  stop.disabled = false;
  Object.defineProperty(stop, "disabled", { get: () => false, set() {} });
}

const mode = query.get("mode") ?? "";
if (!ODD[mode]) throw new Error(`no mode ${mode}`);
start({ Answer: ODD[mode] });
if (mode === "always-stop") keepStop();
