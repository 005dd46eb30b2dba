/** @file The text of one leaf block — a paragraph, a heading, a cell — as nodes, while it arrives.

 Every character is read once. What may still turn out otherwise (a backtick that a later one may
 close, a bracket, a `<`) is read as text, and remembers how things stood before it: `restore`
 costs nothing, since all that has been made is kept in lists that are never changed, only
 replaced. So a closing that comes late takes back what it has to and nothing else, and whoever
 shows the nodes finds what has changed by walking from the end to the first cell that it knows.

 CommonMark 0.31.2 and GFM 0.29, with two additions for text that is not English: emphasis beside
 CJK punctuation, and `20~25` is a range and nothing struck out.
*/

import { AngleScanner, angleKind } from "./angle.js";
import { Autolinks } from "./autolink.js";
import { fits, flanks } from "./emphasis.js";
import { decodeEntity, ENTITY, isEntityBegin } from "./entity.js";
import { codeText, isMath } from "./fences.js";
import { LinkTail, linkHref } from "./link.js";
import { LABEL_LENGTH } from "./label.js";
import { nextLook } from "./looks.js";
import { sentenceLength } from "./pieces.js";
import { namedBy } from "./reference.js";
import { Written } from "./written.js";

/** @import { Inline as Node, Reference, Text } from "./nodes.js" */
/** @import { Named } from "./reference.js" */
/** @import { References, Target } from "./references.js" */

/** Text up to the next character that may mean something; single spaces between words with it. */
const PLAIN = /[^\\`*_~[\]!<>&:@$\s]+(?: [^\\`*_~[\]!<>&:@$\s]+)*/y;
const RUN = { "`": /`+/y, "*": /\*+/y, _: /_+/y, "~": /~+/y, $: /\$+/y };
const SPACES = /[ \t]+/y;
const ESCAPABLE = /[!-/:-@[-`{-~]/;

/**
 * Emphasis and links inside of one another. Beyond that the markers are text, to the block's end: a document
 * so deep takes browsers down.
 */
const MOST_NESTED = 100;

/** A list of what has been made, newest first. Cells are never changed. */
class Cell {
  /**
   * @param {Node} node
   * @param {Cell | null} below
   */
  constructor(node, below) {
    this.node = node;
    this.below = below;
    /** @type {number} */
    this.size = below ? below.size + 1 : 1;
    /** How deep the deepest node of the list is. @type {number} */
    this.deepest = Math.max(depthOf(node), below ? below.deepest : 0);
  }
}

/**
 * A run of delimiters that may open: newest first, as all of these.
 * @typedef {{ char: string, count: number, length: number, canClose: boolean, cell: Cell,
 *   below: Opener | null, height: number }} Opener
 * @typedef {{ isImage: boolean, cell: Cell, start: number, before: State,
 *   below: Bracket | null, height: number }} Bracket
 * @typedef {{ fence: string, start: number, before: State, below: Fence | null }} Fence
 * @typedef {{ scanner: AngleScanner, before: State, below: Angle | null }} Angle
 * @typedef {{ out: Cell | null, openers: Opener | null, brackets: Bracket | null, inactive: number,
 *   fences: Fence | null, angles: Angle | null, bottoms: Record<string, number>, before: string }} State
 */

export class InlineReader {
  /** @type {Cell | null} */
  #out = null;
  /** @type {Opener | null} */
  #openers = null;
  /** @type {Bracket | null} */
  #brackets = null;
  /** Brackets up to this height open no link: one has been made inside them. */
  #inactive = 0;
  /** Backticks and dollars that wait for their like. @type {Fence | null} */
  #fences = null;
  /** @type {Angle | null} */
  #angles = null;
  /** By kind of closer, the height up to which no opener fits it. @type {Record<string, number>} */
  #bottoms = {};
  /** The character before; "\n" at the start. */
  #before;

  /** All that has come, and the end of it that has not been read yet. */
  #raw = new Written();
  #buffer = "";
  #at = 0;
  /** How long that end is when it is worth another look: what it begins with was not to be decided. */
  #nextLook = 0;
  #ends = false;
  /** A link's part behind its `]`, begun and not whole. @type {LinkTail | null} */
  #tail = null;

  /**
   * @param {References} references
   * @param {{ before?: string, after?: string, inBracket?: boolean }} [place]  what stands around it
   */
  constructor(references, { before = "\n", after = "\n", inBracket = false } = {}) {
    this.references = references;
    this.#before = before;
    this.after = after;
    this.inBracket = inBracket;
    /** Labels that were looked for and are not defined. @type {Set<string>} */
    this.missing = new Set();
    /** What is shown as it is written until it is defined. @type {Set<Reference>} */
    this.expected = new Set();
  }

  /** All the text that has come. */
  get raw() {
    return this.#raw.text;
  }

  /** The newest cell; its chain is all there is. */
  get cells() {
    return this.#out;
  }

  /** @returns {Node[]} */
  get nodes() {
    return nodesAbove(this.#out, null);
  }

  /** @param {string} text  its lines ended by "\n", without the spaces at their start */
  write(text) {
    this.#raw.add(text);
    this.#buffer = this.#buffer.slice(this.#at) + text;
    this.#at = 0;
    if (this.#buffer.length >= this.#nextLook) this.#read();
  }

  /** Nothing comes after it. */
  end() {
    this.#ends = true;
    this.#read();
  }

  #read() {
    while (this.#at < this.#buffer.length) {
      const from = this.#at;
      this.#step(this.#buffer.charAt(from));
      if (this.#at === from) break; // more is needed
    }
    this.#nextLook = nextLook(this.#buffer.length - this.#at);
  }

  /** Where in all the text the buffer's `at` is. */
  get #position() {
    return this.#raw.length - this.#buffer.length + this.#at;
  }

  /** @param {string} char */
  #step(char) {
    switch (char) {
      case "\\":
        return this.#escape();
      case "`":
      case "$":
        return this.#fence(char);
      case "*":
      case "_":
      case "~":
        return this.#delimiters(char);
      case "!":
        return this.#bang();
      case "[":
        return this.#open(false);
      case "]":
        return this.#close();
      case "<":
        return this.#angle();
      case ">":
        return this.#endAngle();
      case "&":
        return this.#entity();
      case ":":
      case "@":
        return this.#address(char);
      case " ":
      case "\t":
        return this.#spaces();
      case "\n":
        return this.#newline(0);
      default:
        return this.#plain();
    }
  }

  // ---- text

  #plain() {
    const text = this.#match(PLAIN);
    if (!text) return this.#take(1); // a rarer kind of space
    const known = this.#isLinkable ? Autolinks.www(text, this.#before) : -1;
    if (known === 0) return this.#www();
    const length = known > 0 ? known : text.length;
    if (known < 0 && this.#isLinkable && !this.#ends && this.#at + length === this.#buffer.length) {
      const begun = Autolinks.wwwBegun(text, this.#before);
      if (begun) return begun < length ? this.#take(length - begun) : undefined;
    }
    this.#take(length);
  }

  /** The next characters, as text. @param {number} length */
  #take(length) {
    const text = this.#buffer.slice(this.#at, this.#at + length);
    this.#at += length;
    this.#say(text);
    this.#before = text.slice(-2);
  }

  /** @param {string} text */
  #say(text) {
    let rest = text;
    const top = this.#out?.node;
    if (this.#out && top?.type === "text" && !top.isSealed) {
      const length = sentenceLength(top.text, rest);
      if (length > 0) {
        const longer = { type: /** @type {const} */ ("text"), text: top.text + rest.slice(0, length), view: top.view };
        this.#out = new Cell(longer, this.#out.below);
        rest = rest.slice(length);
      }
    }
    while (rest) {
      const length = sentenceLength("", rest);
      this.#add({ type: "text", text: rest.slice(0, length) });
      rest = rest.slice(length);
    }
  }

  /** @param {Node} node */
  #add(node) {
    this.#out = new Cell(node, this.#out);
  }

  #escape() {
    const next = this.#peek(1);
    if (next === "" && !this.#ends) return;
    if (next === "`" && !this.#runEnds(1)) return;
    if (next === "`" && this.#closesFence(this.#runAt(1, "`"), 1)) return;
    // In brackets a backslash hides nothing.
    if (next === ">" && this.#closesAngle(1)) return;
    if (next === "\n") return this.#newline(0, 1);
    if (!next || !ESCAPABLE.test(next)) return this.#take(1);
    this.#at += 1;
    const run = next === "`" ? this.#runAt(0, "`").length - 1 : 0;
    this.#take(1);
    // What is left of the run can open, and close nothing: as a run it is longer.
    if (run > 0) this.#openFence("`".repeat(run));
  }

  #spaces() {
    const spaces = this.#match(SPACES);
    const next = this.#peek(spaces.length);
    if (next === "\n") return this.#newline(spaces.length);
    if (next === "") return this.#ends ? this.#skip(spaces.length) : undefined;
    this.#take(spaces.length);
  }

  /**
   * A line's end, with what stands before it; shown when a line follows.
   * @param {number} spaces
   * @param {0 | 1} [backslash]
   */
  #newline(spaces, backslash = 0) {
    const length = spaces + backslash + 1;
    if (this.#peek(length) === "") {
      if (!this.#ends) return;
      if (backslash) this.#take(1);
      return this.#skip(length - backslash);
    }
    const isHard = backslash || (spaces >= 2 && this.#buffer.startsWith("  ", this.#at + spaces - 2));
    this.#at += length;
    if (isHard) this.#add({ type: "break" });
    this.#say("\n");
    this.#before = "\n";
  }

  #entity() {
    const entity = this.#match(ENTITY);
    const text = entity && decodeEntity(entity);
    if (text) {
      this.#at += entity.length;
      this.#say(text);
      this.#before = ";";
      return;
    }
    if (!this.#ends && isEntityBegin(this.#buffer.slice(this.#at))) return;
    this.#take(1);
  }

  // ---- code and maths: fences, of which the like closes

  /** @param {"`" | "$"} char */
  #fence(char) {
    if (!this.#runEnds(0)) return;
    const fence = this.#match(RUN[char]);
    if (char === "$" && fence.length > 2) return this.#take(fence.length);
    if (!this.#closesFence(fence, 0)) this.#openFence(fence);
  }

  /**
   * @param {string} fence
   * @param {number} ahead  characters before it in the buffer that belong inside
   */
  #closesFence(fence, ahead) {
    const open = this.#waitingFence(fence);
    if (!open) return false;
    const text = this.#raw.slice(open.start, this.#position + ahead);
    if (fence.startsWith("$") && !isMath(text, fence, this.#peek(ahead + fence.length))) return false;
    this.#restore(open.before);
    this.#at += ahead + fence.length;
    if (fence.startsWith("$")) this.#add({ type: "math", text: text.trim(), isDisplay: fence.length === 2 });
    else this.#add({ type: "code", text: codeText(text) });
    this.#before = fence.slice(-1);
    return true;
  }

  /** Whether code that has begun ends within the next characters: then they are nothing else. @param {number} length */
  #endsFence(length) {
    if (!this.#fences) return false;
    const runs = this.#buffer.slice(this.#at, this.#at + length).match(/`+/g) ?? [];
    return runs.some((run) => this.#waitingFence(run));
  }

  /** @param {string} fence */
  #openFence(fence) {
    const start = this.#position + fence.length;
    const isLoose = fence === "$" && /\s|^$/.test(this.#peek(1));
    // Of backticks the first run counts; of dollars, of which some are prices, the last.
    if (!isLoose && (fence.startsWith("$") || !this.#waitingFence(fence))) {
      this.#fences = { fence, start, before: this.#state(), below: this.#fences };
    }
    this.#take(fence.length);
  }

  /** @param {string} fence @returns {Fence | null} */
  #waitingFence(fence) {
    for (let open = this.#fences; open; open = open.below) if (open.fence === fence) return open;
    return null;
  }

  // ---- emphasis

  /** @param {"*" | "_" | "~"} char */
  #delimiters(char) {
    if (!this.#runEnds(0)) return;
    const run = this.#match(RUN[char]);
    if (char === "~" && run.length > 2) return this.#take(run.length);
    const after = this.#peek(run.length, 2) || this.after;
    const { canOpen, canClose } = flanks(run, this.#before, after);
    const left = canClose ? this.#closeEmphasis(run, canOpen) : run.length;
    this.#at += run.length;
    this.#before = char;
    if (left === 0) return;
    const text = char.repeat(left);
    if (!canOpen) return this.#say(text);
    this.#add({ type: "text", text, isSealed: true });
    this.#pushOpener(char, left, run.length, canClose);
  }

  /**
   * @param {string} char
   * @param {number} count
   * @param {number} length  of the run it was
   * @param {boolean} canClose
   */
  #pushOpener(char, count, length, canClose) {
    const cell = /** @type {Cell} */ (this.#out);
    const height = (this.#openers?.height ?? 0) + 1;
    this.#openers = { char, count, length, canClose, cell, below: this.#openers, height };
  }

  /**
   * @param {string} run
   * @param {boolean} canOpen
   * @returns {number}  delimiters of the run that are left
   */
  #closeEmphasis(run, canOpen) {
    const char = run.charAt(0);
    let left = run.length;
    while (left > 0 && this.#mayNest) {
      const opener = this.#openerOf(char, run.length, canOpen);
      if (!opener) return left;
      const used = char === "~" ? run.length : opener.count >= 2 && left >= 2 ? 2 : 1;
      this.#wrap(opener, used);
      left -= used;
    }
    return left;
  }

  get #mayNest() {
    return (this.#out?.deepest ?? 0) < MOST_NESTED;
  }

  /**
   * @param {string} char
   * @param {number} length
   * @param {boolean} canOpen
   */
  #openerOf(char, length, canOpen) {
    const kind = `${char}${canOpen}${char === "~" ? length : length % 3}`;
    const bottom = this.#bottoms[kind] ?? 0;
    for (let opener = this.#openers; opener && opener.height > bottom; opener = opener.below) {
      if (opener.char === char && fits(opener, length, canOpen)) return opener;
    }
    this.#bottoms = { ...this.#bottoms, [kind]: this.#openers?.height ?? 0 };
    return null;
  }

  /**
   * @param {Opener} opener
   * @param {number} used
   */
  #wrap(opener, used) {
    const children = nodesAbove(this.#out, opener.cell);
    this.#out = opener.cell.below;
    this.#dropOpeners(opener.below);
    const left = opener.count - used;
    if (left > 0) {
      this.#add({ type: "text", text: opener.char.repeat(left), isSealed: true });
      this.#pushOpener(opener.char, left, opener.length, opener.canClose);
    }
    const type = opener.char === "~" ? "delete" : used === 2 ? "strong" : "emphasis";
    this.#add({ type, children, depth: 1 + deepestOf(children) });
  }

  /** @param {Opener | null} openers */
  #dropOpeners(openers) {
    this.#openers = openers;
    const height = openers?.height ?? 0;
    for (const [kind, bottom] of Object.entries(this.#bottoms)) {
      if (bottom > height) this.#bottoms = { ...this.#bottoms, [kind]: height };
    }
  }

  // ---- links

  #bang() {
    const next = this.#peek(1);
    if (next === "[") return this.#open(true);
    if (next !== "" || this.#ends) this.#take(1);
  }

  /** @param {boolean} isImage */
  #open(isImage) {
    const before = this.#state();
    const text = isImage ? "![" : "[";
    this.#at += text.length;
    this.#add({ type: "text", text, isSealed: true });
    this.#before = "[";
    this.#brackets = {
      isImage,
      cell: /** @type {Cell} */ (this.#out),
      start: this.#position,
      before,
      below: this.#brackets,
      height: (this.#brackets?.height ?? 0) + 1,
    };
  }

  #close() {
    const bracket = this.#brackets;
    if (!bracket) return this.#take(1);
    if (!this.#mayNest) {
      this.#popBracket();
      return this.#take(1);
    }
    if (!bracket.isImage && bracket.height <= this.#inactive) {
      this.#popBracket();
      return this.#take(1);
    }
    const next = this.#peek(1);
    if (next === "" && !this.#ends) return;
    if (next === "(") {
      const tail = this.#scanTail();
      if (tail === "more") return;
      if (tail && !this.#endsFence(tail.length + 1)) {
        return this.#link(bracket, tail.length + 1, { href: tail.href, title: tail.title });
      }
    }
    const isLong = this.#position - bracket.start > LABEL_LENGTH;
    const inside = isLong ? null : this.#raw.slice(bracket.start, this.#position);
    const named = namedBy(inside, this.#buffer, this.#at, this.#ends);
    if (named === "more") return;
    if (named && !this.#endsFence(named.length) && this.#refer(bracket, named, inside)) return;
    this.#popBracket();
    this.#take(1);
  }

  /** The part in parentheses, if it is one. */
  #scanTail() {
    this.#tail ??= new LinkTail();
    const tail = this.#tail;
    const outcome = tail.read(this.#buffer, this.#at + 1);
    if (outcome === "more" && !this.#ends) return "more";
    this.#tail = null;
    return outcome === "whole" ? tail.link() : null;
  }

  /**
   * @param {Bracket} bracket
   * @param {Named} named
   * @param {string | null} inside
   * @returns {boolean}  whether it is a reference, if only to what is not defined yet
   */
  #refer(bracket, named, inside) {
    const target = this.references.find(named.key);
    if (!target && !(named.canWait && inside !== null && this.#mayExpect(bracket, named.key, inside))) {
      this.missing.add(named.key);
      return false;
    }
    if (target) this.#link(bracket, named.length, target);
    else this.#expect(bracket, named);
    return true;
  }

  /**
   * Whether all around it reads the same with the label defined and without. A link makes the brackets
   * around it none; what began inside and has not ended would end without it.
   * @param {Bracket} bracket
   * @param {string} key
   * @param {string} inside
   */
  #mayExpect({ cell, before, below }, key, inside) {
    if (!key.startsWith("^") && (below !== null || this.inBracket)) return false;
    const isClosed = this.#openers === before.openers && this.#fences === before.fences && this.#angles === before.angles;
    return isClosed && !/[[\]]/.test(inside) && this.#reaches(cell);
  }

  /** Whether the cell is one of those that have been made. @param {Cell} cell */
  #reaches(cell) {
    let at = this.#out;
    while (at && at.size > cell.size) at = at.below;
    return at === cell;
  }

  /**
   * @param {Bracket} bracket
   * @param {Named} named
   */
  #expect(bracket, { key, length }) {
    const { isImage, start, cell } = bracket;
    const isNote = key.startsWith("^");
    const children = nodesAbove(this.#out, cell);
    const label = this.#raw.slice(start + 1, this.#position);
    const after = this.#raw.slice(this.#position, this.#position + length);
    this.#leave(bracket, length);
    if (isNote && isImage) this.#say("!");
    const before = isImage && !isNote ? "![" : "[";
    const depth = isNote ? 0 : 1 + deepestOf(children);
    /** @type {Reference} */
    const reference = { type: "reference", key, label, isImage, before, children, after, depth };
    this.expected.add(reference);
    this.references.expect(reference);
    this.#add(reference);
  }

  /**
   * @param {Bracket} bracket
   * @param {number} length  from the `]` on
   * @param {Target} target
   */
  #link(bracket, length, target) {
    const { isImage } = bracket;
    if ("number" in target) {
      const label = this.#raw.slice(bracket.start + 1, this.#position);
      this.#leave(bracket, length);
      if (isImage) this.#say("!");
      return this.#add({ type: "note", label, ...target });
    }
    const children = this.#label(bracket);
    this.#leave(bracket, length);
    if (!isImage) this.#inactive = this.#brackets?.height ?? 0;
    this.#add({ type: isImage ? "image" : "link", ...target, children, depth: 1 + deepestOf(children) });
  }

  /**
   * Takes back what the brackets hold, to put another thing in its place.
   * @param {Bracket} bracket
   * @param {number} length  from the `]` on
   */
  #leave(bracket, length) {
    this.#out = bracket.before.out;
    this.#openers = bracket.before.openers;
    this.#bottoms = bracket.before.bottoms;
    this.#popBracket();
    this.#at += length;
    this.#before = "]";
  }

  /**
   * What stands between the brackets. Emphasis that began before them and ended inside was
   * none: then the inside is read once more, by itself.
   * @param {Bracket} bracket
   * @returns {Node[]}
   */
  #label(bracket) {
    if (this.#reaches(bracket.cell)) return nodesAbove(this.#out, bracket.cell);
    const inside = new InlineReader(this.references, { before: "[", after: "]", inBracket: true });
    inside.write(this.#raw.slice(bracket.start, this.#position));
    inside.end();
    for (const label of inside.missing) this.missing.add(label);
    for (const reference of inside.expected) this.expected.add(reference);
    return inside.nodes;
  }

  #popBracket() {
    this.#brackets = this.#brackets?.below ?? null;
    this.#inactive = Math.min(this.#inactive, this.#brackets?.height ?? 0);
  }

  // ---- addresses

  get #isLinkable() {
    return this.#brackets === null && !this.inBracket;
  }

  /** @param {":" | "@"} char */
  #address(char) {
    if (!this.#isLinkable) return this.#take(1);
    const said = this.#out?.node.type === "text" && !this.#out.node.isSealed ? this.#out.node.text : "";
    const ahead = this.#buffer.slice(this.#at);
    const found = char === ":" ? Autolinks.url(said, ahead, this.#ends) : Autolinks.email(said, ahead, this.#ends);
    if (found === "more") return;
    if (!found || this.#endsFence(found.length)) return this.#take(1);
    if (char === ":" && this.#isBracketed(found.back)) return this.#take(1);
    this.#unsay(found.back);
    this.#autolink(said.slice(said.length - found.back) + ahead.slice(0, found.length), found.prefix, found.length);
  }

  /** Whether the address that began so far back stands in angle brackets. @param {number} back */
  #isBracketed(back) {
    const start = this.#position - back - 1;
    let angle = this.#angles;
    while (angle && angle.scanner.start !== start) angle = angle.below;
    return angle !== null && /^[^\s<]*>/.test(this.#buffer.slice(this.#at));
  }

  #www() {
    const found = Autolinks.extent(this.#buffer.slice(this.#at), this.#ends);
    if (found === "more") return;
    if (!found || this.#endsFence(found)) return this.#take(4);
    this.#autolink(this.#buffer.slice(this.#at, this.#at + found), "http://", found);
  }

  /**
   * @param {string} text
   * @param {string} prefix
   * @param {number} length  of it in the buffer
   */
  #autolink(text, prefix, length) {
    this.#at += length;
    this.#before = text.slice(-1);
    const href = linkHref(prefix + text);
    this.#add({ type: "link", href, title: null, children: [{ type: "text", text }] });
  }

  /** Takes back the last characters of the last text. @param {number} length */
  #unsay(length) {
    const { node, below } = /** @type {Cell} */ (this.#out);
    const { text, view } = /** @type {Text} */ (node);
    this.#out = below;
    if (length < text.length) this.#add({ type: "text", text: text.slice(0, text.length - length), view });
  }

  // ---- HTML and <addresses>

  #angle() {
    const kind = angleKind(this.#buffer, this.#at);
    if (kind === "more" && !this.#ends) return;
    // Of comments and the like the first that waits would end where this would, or before.
    if (kind && kind !== "more" && !(kind !== "tag" && this.#waitsForAngle(kind))) {
      const scanner = new AngleScanner(kind, this.#position);
      this.#angles = { scanner, before: this.#state(), below: this.#angles };
    }
    this.#take(1);
  }

  /** @param {string} kind */
  #waitsForAngle(kind) {
    for (let angle = this.#angles; angle; angle = angle.below) if (angle.scanner.kind === kind) return true;
    return false;
  }

  #endAngle() {
    if (!this.#closesAngle(0)) this.#take(1);
  }

  /** @param {0 | 1} ahead  characters before it in the buffer that belong inside */
  #closesAngle(ahead) {
    const end = this.#position + ahead + 1;
    /** @type {Angle[]} */
    const waiting = [];
    for (let angle = this.#angles; angle; angle = angle.below) waiting.unshift(angle);
    /** @type {Angle | null} */
    let left = null;
    for (const angle of waiting) {
      const outcome = angle.scanner.read(this.#raw, end);
      if (outcome === "dead") continue;
      if (outcome === "more") {
        left = { ...angle, below: left };
        continue;
      }
      const text = this.#raw.slice(angle.scanner.start, end);
      this.#restore(angle.before);
      this.#at += ahead + 1;
      this.#before = ">";
      this.#add(outcome === "html" ? { type: "html", text } : addressNode(text, outcome));
      return true;
    }
    this.#angles = left;
    return false;
  }

  // ---- the buffer

  /** @param {RegExp} sticky */
  #match(sticky) {
    sticky.lastIndex = this.#at;
    return sticky.exec(this.#buffer)?.[0] ?? "";
  }

  /**
   * @param {number} ahead
   * @param {number} [length]
   */
  #peek(ahead, length = 1) {
    return this.#buffer.slice(this.#at + ahead, this.#at + ahead + length);
  }

  /** @param {number} length */
  #skip(length) {
    this.#at += length;
  }

  /**
   * @param {number} ahead
   * @param {"`"} char
   */
  #runAt(ahead, char) {
    RUN[char].lastIndex = this.#at + ahead;
    return RUN[char].exec(this.#buffer)?.[0] ?? "";
  }

  /** Whether the character behind the run that begins there is known. @param {number} ahead */
  #runEnds(ahead) {
    if (this.#ends) return true;
    const char = this.#peek(ahead);
    let end = this.#at + ahead;
    while (this.#buffer.charAt(end) === char) end += 1;
    return end < this.#buffer.length;
  }

  /** @returns {State} */
  #state() {
    return {
      out: this.#out,
      openers: this.#openers,
      brackets: this.#brackets,
      inactive: this.#inactive,
      fences: this.#fences,
      angles: this.#angles,
      bottoms: this.#bottoms,
      before: this.#before,
    };
  }

  /** @param {State} state */
  #restore(state) {
    this.#out = state.out;
    this.#openers = state.openers;
    this.#brackets = state.brackets;
    this.#inactive = state.inactive;
    this.#fences = state.fences;
    this.#angles = state.angles;
    this.#bottoms = state.bottoms;
    this.#before = state.before;
  }
}

/** @param {Node} node @returns {number} */
const depthOf = (node) => ("children" in node ? (node.depth ?? 1) : 0);

/** @param {Node[]} nodes */
const deepestOf = (nodes) => nodes.reduce((depth, node) => Math.max(depth, depthOf(node)), 0);

/**
 * @param {Cell | null} from
 * @param {Cell | null} to  not itself
 * @returns {Node[]}
 */
function nodesAbove(from, to) {
  const nodes = [];
  for (let cell = from; cell && cell !== to; cell = cell.below) nodes.push(cell.node);
  return nodes.reverse();
}

/**
 * @param {string} text  with its angle brackets
 * @param {"uri" | "email"} kind
 * @returns {Node}
 */
function addressNode(text, kind) {
  const address = text.slice(1, -1);
  const href = linkHref(kind === "email" ? `mailto:${address}` : address);
  return { type: "link", href, title: null, children: [{ type: "text", text: address }] };
}
