// Fault B: work per token that grows with the answer. ?kind= chooses which; each is a habit of
// real pages.
//
//   markdown        the whole answer is rendered again, into innerHTML
//   innerhtml       innerHTML +=, which writes out and parses all that is there
//   diff            a virtual list of every word is made anew and compared with the document
//   forced-layout   every paragraph is measured, between writes
//   restyle         a class on the transcript toggles, and every word's style depends on it

import { query, start } from "./chat.js";
import { escaped, html } from "./markdown.js";

/** What all have in common: a document that is up to date with every token. */
class EagerAnswer {
  /** @param {HTMLElement} body @param {() => void} follow */
  constructor(body, follow) {
    this.body = body;
    this.follow = follow;
    this.text = "";
  }

  /** @param {string} piece */
  push(piece) {
    this.text += piece;
    this.draw(piece);
    this.follow();
  }

  /** @param {string} _piece */
  draw(_piece) {}

  end() {}
}

class PlainAnswer extends EagerAnswer {
  /** @param {HTMLElement} body @param {() => void} follow */
  constructor(body, follow) {
    super(body, follow);
    body.classList.add("plain");
  }
}

class MarkdownAnswer extends EagerAnswer {
  /** @override */
  draw() {
    this.body.innerHTML = html(this.text);
  }
}

class InnerHtmlAnswer extends PlainAnswer {
  /** @override @param {string} piece */
  draw(piece) {
    this.body.innerHTML += escaped(piece);
  }
}

class DiffAnswer extends PlainAnswer {
  /** @override */
  draw() {
    const words = this.text.split(/(?<=\s)(?=\S)/).map((text) => ({ tag: "SPAN", text }));
    const shown = this.body.children;
    words.forEach((word, i) => {
      const element = shown[i] ?? this.body.appendChild(document.createElement("span"));
      const isSame = element.tagName === word.tag && element.textContent === word.text;
      if (!isSame) element.textContent = word.text;
    });
  }
}

class MeasuredAnswer extends EagerAnswer {
  /** @override @param {string} piece */
  draw(piece) {
    const [first = "", ...others] = piece.split(/\n{2,}/);
    const last = this.body.lastElementChild ?? this.open();
    last.append(others.length ? `${first}\n` : first);
    for (const paragraph of others) this.open().append(paragraph);
    for (const paragraph of this.body.children) {
      if (!(paragraph instanceof HTMLElement)) continue;
      paragraph.style.minHeight = "";
      paragraph.style.minHeight = `${paragraph.offsetHeight}px`;
    }
  }

  open() {
    return this.body.appendChild(document.createElement("p"));
  }
}

class RestyledAnswer extends PlainAnswer {
  /** @override @param {string} piece */
  draw(piece) {
    const word = document.createElement("span");
    word.className = "word";
    word.append(piece);
    this.body.append(word);
    this.body.closest(".transcript")?.classList.toggle("beat");
  }
}

const KINDS = {
  markdown: MarkdownAnswer,
  innerhtml: InnerHtmlAnswer,
  diff: DiffAnswer,
  "forced-layout": MeasuredAnswer,
  restyle: RestyledAnswer,
};

const kind = /** @type {keyof typeof KINDS} */ (query.get("kind") ?? "markdown");
if (!(kind in KINDS)) throw new Error(`kind is one of ${Object.keys(KINDS).join(", ")}`);
start({ Answer: KINDS[kind] });
