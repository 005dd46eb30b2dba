/** @file Puts text into a field so that Ctrl+Z takes it out again. */

/**
 * What a script types, the browser lays out line by line: 250 lines take a quarter of a second, 1,000
 * ten, on a busy machine. It is the only way into the browser's own history of the field, in which
 * `setRangeText` and `value` leave no step; a longer text gets one here.
 */
const MOST_TYPED_LINES = 100;

export class Typist {
  /** The last text that was not typed. @type {{ before: string, after: string, at: number } | null} */
  #step = null;

  /** @param {HTMLTextAreaElement} field */
  constructor(field) {
    this.field = field;
    field.addEventListener("keydown", (event) => {
      if (!isUndo(event) || field.value !== this.#step?.after) return;
      event.preventDefault();
      this.#undo(this.#step);
    });
  }

  /**
   * @param {string} text
   * @param {number} at
   */
  insert(text, at) {
    this.field.focus();
    this.field.setSelectionRange(at, at);
    const isShort = text.split("\n", MOST_TYPED_LINES + 1).length <= MOST_TYPED_LINES;
    if (isShort && document.execCommand("insertText", false, text)) return;
    const before = this.field.value;
    this.field.setRangeText(text, at, at, "end");
    this.#step = { before, after: this.field.value, at };
    this.#tell();
  }

  /** @param {{ before: string, at: number }} step */
  #undo({ before, at }) {
    this.#step = null;
    this.field.value = before;
    this.field.setSelectionRange(at, at);
    this.#tell();
  }

  #tell() {
    this.field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
}

/** @param {KeyboardEvent} event */
const isUndo = ({ key, ctrlKey, metaKey, shiftKey }) => key.toLowerCase() === "z" && (ctrlKey || metaKey) && !shiftKey;
