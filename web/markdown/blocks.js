/** @file The blocks that Markdown is made of: what each holds, and how it takes its lines. */

import { readDefinition } from "./definition.js";
import { InlineReader } from "./inline.js";
import { normalLabel } from "./label.js";
import { References } from "./references.js";

/** @import { Reference } from "./nodes.js" */

/**
 * What all blocks share. `view` is whatever the renderer keeps; `isHidden` until there is something
 * to show.
 */
export class Block {
  /** @type {ContainerBlock | null} */
  parent = null;
  isHidden = false;
  /** A blank line came after it, inside of what holds it. */
  endsBlank = false;
  /** @type {any} */
  view = undefined;

  /** @param {string} type */
  constructor(type) {
    this.type = type;
  }

  /** Nothing more comes into it. */
  close() {}

  /** Blocks that it is, with those inside. */
  get size() {
    return 1;
  }
}

/** Holds blocks. */
export class ContainerBlock extends Block {
  /** @type {Block[]} */
  children = [];
  #forgotten = 0;
  #forgottenSize = 0;

  /** @param {Block} child */
  append(child) {
    child.parent = this;
    this.children.push(child);
  }

  get last() {
    return this.children[this.children.length - 1];
  }

  /** Lets go of the first children: they are closed, and shown. @param {number} count */
  forget(count) {
    for (; this.#forgotten < count; this.#forgotten += 1) {
      this.#forgottenSize += /** @type {Block} */ (this.children[this.#forgotten]).size;
      this.children[this.#forgotten] = GONE;
    }
  }

  get size() {
    let size = 1 + this.#forgottenSize;
    for (let at = this.#forgotten; at < this.children.length; at += 1) size += /** @type {Block} */ (this.children[at]).size;
    return size;
  }
}

/** Stands for what was let go of. */
const GONE = new Block("gone");

export class ListBlock extends ContainerBlock {
  isLoose = false;

  /**
   * @param {string} marker  "-", "+", "*", "." or ")"
   * @param {number | null} start  null: bullets
   */
  constructor(marker, start) {
    super("list");
    this.marker = marker;
    this.start = start;
  }
}

export class ItemBlock extends ContainerBlock {
  /** Whether the task is done; null: it is none. @type {boolean | null} */
  task = null;

  /**
   * @param {number} columns  from the container's edge to the content's
   * @param {number} line
   */
  constructor(columns, line) {
    super("item");
    this.columns = columns;
    this.line = line;
  }
}

/** A footnote's definition; shown where it stands, which is at the end where there are many. */
export class NoteBlock extends ContainerBlock {
  number = 0;

  /** @param {string} label */
  constructor(label) {
    super("note");
    this.label = label;
    this.key = normalLabel(label);
  }
}

/** Holds text that is read as it comes. */
export class TextBlock extends Block {
  /** @type {InlineReader} */
  reader;
  isClosed = false;
  #kept = "";
  /** @type {Iterable<Reference>} */
  #expected = [];

  /**
   * @param {string} type
   * @param {Changes} changes
   */
  constructor(type, changes) {
    super(type);
    this.changes = changes;
    this.reader = new InlineReader(changes.references);
  }

  /** @param {string} text */
  write(text) {
    this.reader.write(text);
    this.changes.add(this);
  }

  close() {
    this.isClosed = true;
    this.reader.end();
    this.changes.add(this);
    this.changes.references.wait(this, this.reader.missing);
  }

  get isForgotten() {
    return this.reader === FORGOTTEN;
  }

  /** Lets go of what has been read, once it is shown. A label that it uses may be defined later. */
  forget() {
    if (!this.isClosed || this.isForgotten) return;
    if (this.reader.missing.size > 0) [this.#kept, this.#expected] = [this.reader.raw, this.reader.expected];
    this.reader = FORGOTTEN;
  }

  /** Of what is read again. */
  get length() {
    return (this.#kept || this.reader.raw).length;
  }

  /** A label that it uses has been defined. */
  reread() {
    const raw = this.#kept || this.reader.raw;
    this.changes.references.forget(this.isForgotten ? this.#expected : this.reader.expected);
    [this.#kept, this.#expected] = ["", []];
    this.reader = new InlineReader(this.changes.references);
    this.reader.write(raw);
    if (this.isClosed) this.close();
    this.changes.add(this);
  }
}

const FORGOTTEN = new InlineReader(new References());

/** @typedef {{ references: References, add(block: Block): void }} Changes */

const TASK = /^\[([ xX])\](?=\s+\S)/;
const TASK_BEGUN = /^\[(?:[ xX](?:\]\s*)?)?$/;

/** A paragraph; what it begins with may be definitions, which are nothing to show. */
export class ParagraphBlock extends TextBlock {
  /** What may still be a definition. @type {string | null} */
  #head = "";
  #taskOf;
  /** All lines, and where the last one begins: it may be a table's head. */
  lines = "";
  lastLine = 0;

  /**
   * @param {Changes} changes
   * @param {ItemBlock | null} item  whose first block it is
   */
  constructor(changes, item) {
    super("paragraph", changes);
    this.isHidden = true;
    this.#taskOf = item;
  }

  /** @param {string} text */
  write(text) {
    this.lines += text;
    if (text.startsWith("\n")) this.lastLine = this.lines.length - text.length + 1;
    if (this.#head === null) return super.write(text);
    this.#head += text;
    this.#readHead(false);
  }

  /** Whether there is anything but definitions, if no more came. */
  get hasText() {
    if (this.#head === null) return true;
    let rest = this.#head;
    for (;;) {
      const found = readDefinition(rest, true);
      if (!found || found === "more") return rest !== "";
      rest = rest.slice(found.length);
    }
  }

  close() {
    this.#readHead(true);
    super.close();
  }

  forget() {
    super.forget();
    if (this.isClosed) this.lines = "";
  }

  /** Its text as that of a heading. */
  become(/** @type {TextBlock} */ heading) {
    this.#readHead(true);
    heading.reader = this.reader;
    heading.close();
  }

  /** @param {boolean} ends */
  #readHead(ends) {
    while (this.#head !== null) {
      if (this.#head === "") return;
      if (this.#taskOf && this.#isTask(ends)) return;
      const found = readDefinition(this.#head, ends);
      if (found === "more") return;
      if (found) {
        this.#head = this.#head.slice(found.length);
        this.changes.references.defineLink(found.key, { href: found.href, title: found.title });
        continue;
      }
      const text = this.#head;
      this.#show();
      super.write(text);
    }
  }

  #show() {
    this.#head = null;
    this.isHidden = false;
    if (this.parent) this.changes.add(this.parent);
  }

  /**
   * Takes a task's box; true: it may yet be one.
   * @param {boolean} ends
   */
  #isTask(ends) {
    const text = /** @type {string} */ (this.#head);
    if (!ends && TASK_BEGUN.test(text)) return true;
    const item = /** @type {ItemBlock} */ (this.#taskOf);
    const task = TASK.exec(text);
    this.#taskOf = null;
    if (!task) return false;
    item.task = task[1] !== " ";
    this.changes.add(item);
    this.#show();
    super.write(text.slice(task[0].length).trimStart());
    return true;
  }
}

/** What a heading's line may end with. */
const CLOSING = /[ \t]+#*[ \t]*$/;
const ALL_CLOSING = /^[ \t]*#*[ \t]*$/;

export class HeadingBlock extends TextBlock {
  #held = "";

  /**
   * @param {Changes} changes
   * @param {number} level
   */
  constructor(changes, level) {
    super("heading", changes);
    this.level = level;
  }

  /** @param {string} text  of its one line */
  write(text) {
    const line = this.#held + text;
    const isFirst = this.reader.raw === "";
    const end = isFirst && ALL_CLOSING.test(line) ? 0 : (CLOSING.exec(line)?.index ?? line.length);
    this.#held = line.slice(end);
    const shown = line.slice(0, end);
    if (shown) super.write(isFirst ? shown.trimStart() : shown);
  }

  close() {
    this.#held = "";
    super.close();
  }
}

/** Holds lines as they are. `fresh` is what the renderer has not shown yet. */
class LiteralBlock extends Block {
  isClosed = false;
  fresh = "";
  lineCount = 0;
  /** The line that is being written. */
  line = "";

  /**
   * @param {string} type
   * @param {Changes} changes
   */
  constructor(type, changes) {
    super(type);
    this.changes = changes;
  }

  /** @param {string} text */
  beginLine(text) {
    this.line = text;
    this.say((this.lineCount > 0 ? "\n" : "") + text);
    this.lineCount += 1;
  }

  /** More of the line. @param {string} text */
  write(text) {
    this.line += text;
    this.say(text);
  }

  close() {
    this.isClosed = true;
    this.changes.add(this);
  }

  /** @param {string} text */
  say(text) {
    this.fresh += text;
    this.changes.add(this);
  }
}

export class CodeBlock extends LiteralBlock {
  /**
   * @param {Changes} changes
   * @param {{ char: string, length: number, indent: number, info: string } | null} fence  null: indented
   */
  constructor(changes, fence) {
    super("code", changes);
    this.fence = fence;
  }
}

/** Code by its indentation; blank lines at its end are none of it. */
export class IndentedBlock extends CodeBlock {
  #blank = "";

  /** @param {Changes} changes */
  constructor(changes) {
    super(changes, null);
  }

  /** @param {string} text */
  beginLine(text) {
    if (text.trim() === "") {
      this.#blank += `\n${text}`;
      return;
    }
    if (this.#blank) this.say(this.#blank);
    this.#blank = "";
    super.beginLine(text);
  }
}

export class HtmlBlock extends LiteralBlock {
  /**
   * @param {Changes} changes
   * @param {RegExp | null} end  null: a blank line
   */
  constructor(changes, end) {
    super("html", changes);
    this.end = end;
  }
}
