// An answer as plain text: what has come is appended once a frame, to the paragraph it belongs to.
// Finished paragraphs are never touched, and nothing is read back.

export class TextAnswer {
  /** @param {HTMLElement} body @param {() => void} follow */
  constructor(body, follow) {
    body.classList.add("plain");
    this.body = body;
    this.follow = follow;
    this.pending = "";
    this.scheduled = false;
    /** @type {HTMLElement | null} */
    this.paragraph = null;
  }

  /** @param {string} piece */
  push(piece) {
    this.pending += piece;
    if (this.scheduled) return;
    this.scheduled = true;
    this.schedule(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  /** @param {() => void} flush */
  schedule(flush) {
    requestAnimationFrame(flush);
  }

  flush() {
    // A line break waits for what follows: another one would end the paragraph.
    const end = this.pending.search(/\n*$/);
    if (!end) return;
    const paragraphs = this.pending.slice(0, end).split(/\n{2,}/);
    this.pending = this.pending.slice(end);
    paragraphs.forEach((text, i) => this.append(text, i > 0));
    this.follow();
  }

  /** @param {string} text @param {boolean} begins a paragraph */
  append(text, begins) {
    if (begins) this.paragraph?.append("\n");
    if (begins || !this.paragraph) {
      this.paragraph = this.body.appendChild(document.createElement("p"));
    }
    this.paragraph.append(text);
  }

  end() {
    this.flush();
  }
}
