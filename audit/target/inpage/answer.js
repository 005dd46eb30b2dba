/**
 * @file Where the answer is.
 *
 * The answer is the largest element around the marker that holds nothing else: not the box, not
 * the prompt, not an earlier answer, not the page's own text. The largest and not the smallest,
 * because a first paragraph and a whole answer look alike until the second paragraph comes.
 */

/** Labels and buttons around an answer are shorter than this together. */
const FOREIGN_CHARACTERS = 80;
const TAIL_CHARACTERS = 600;
const TAIL_CHARACTERS_AT_MOST = 8000;
const TAIL_NODES_AT_MOST = 4000;

/** @type {Element | null} */
let answer = null;
let answerMarker = "";
/** @type {Element[]} what was around the answer, nearest first: where to look for it again */
let around = [];
/** @type {{ref: WeakRef<Element>, marker: string}[]} */
const earlier = [];
let sentPrompt = "";
/** @type {WeakMap<Node, string>} what stood in text nodes before the prompt was sent */
let before = new WeakMap();
/** @type {WeakSet<Element>} controls that would pass for Stop and were there before */
let beforeStops = new WeakSet();

/** @param {string} prompt  sent from the document before this one, or "" */
function expect(prompt) {
  sentPrompt = plain(prompt);
}

/** @param {string} prompt  about to be sent */
function remember(prompt) {
  expect(prompt);
  if (answer) earlier.push({ ref: new WeakRef(answer), marker: answerMarker });
  [answer, answerMarker, around] = [null, "", []];
  before = new WeakMap();
  eachText(document.body, false, (text) => {
    if (text) before.set(text, text.data);
    return false;
  });
  beforeStops = new WeakSet(stopLike());
  rememberSend();
}

/** @param {string} marker */
function isOnPage(marker) {
  return reads(document.body).includes(marker);
}

/** @param {Text} text  whether it says what it said before the prompt was sent */
function isOld(text) {
  return before.get(text) === text.data;
}

/** Whether the prompt stands somewhere outside the box, where it did not before. */
function isEchoed() {
  return reads(document.body, (text) => !isOld(text)).includes(sentPrompt);
}

/** @param {string} text */
function plain(text) {
  return text.replace(/\s+/g, " ").trim();
}

/**
 * @param {Element} element
 * @param {(text: Text) => boolean} [only]
 */
function reads(element, only = () => true) {
  /** @type {string[]} */
  const read = [];
  eachText(element, false, (text) => {
    if (!text) read.push(" ");
    else if (only(text)) read.push(text.data);
    return false;
  });
  return plain(read.join(""));
}

/**
 * Finds the newest answer by a word of it.
 * @param {string} marker
 * @returns {boolean}
 */
function findAnswer(marker) {
  if (!box?.isConnected) guessBox();
  const start = lastOccurrence(document.body, marker);
  if (!start) return false;
  settle(grow(start, marker), marker);
  return true;
}

/** @param {string} marker  of an answer whose element the page has replaced */
function refindAnswer(marker) {
  for (const element of around) {
    const start = element.isConnected ? lastOccurrence(element, marker) : null;
    if (!start) continue;
    settle(grow(start, marker), marker);
    return true;
  }
  return findAnswer(marker);
}

/** @param {Element} element @param {string} marker */
function settle(element, marker) {
  [answer, answerMarker, around] = [element, marker, []];
  for (let at = parentOf(element); at; at = parentOf(at)) around.push(at);
}

/** @param {Element} element  from a recipe's selector @param {string} marker */
function useAnswer(element, marker) {
  if (!lastOccurrence(element, marker)) return false;
  settle(element, marker);
  return true;
}

/** @param {Element} start @param {string} marker */
function grow(start, marker) {
  let best = start;
  for (let at = parentOf(start); at && at !== document.body; at = parentOf(at)) {
    if (at instanceof HTMLHtmlElement || !isPure(at, marker)) break;
    if (at.localName !== "slot") best = at;
  }
  return best;
}

/** @param {Element} element @param {string} marker  whether it holds the answer and nothing else */
function isPure(element, marker) {
  if (box && holds(element, box)) return false;
  if (earlier.some((other) => holdsEarlier(element, other))) return false;
  let foreign = 0;
  const isFull = eachText(element, false, (text) => {
    if (text && isOld(text)) foreign += plain(text.data).length;
    return foreign > FOREIGN_CHARACTERS;
  });
  if (isFull) return false;
  const text = reads(element);
  return !(sentPrompt && text.includes(sentPrompt)) && isInOrder(text, marker);
}

/**
 * An element whose text the page has replaced by a newer answer is no earlier answer any more.
 * @param {Element} element @param {{ref: WeakRef<Element>, marker: string}} other
 */
function holdsEarlier(element, { ref, marker }) {
  const other = ref.deref();
  return other !== undefined && holds(element, other) && reads(other).includes(marker);
}

/**
 * Older answers have words of their own above or below.
 * @param {string} text @param {string} marker
 */
function isInOrder(text, marker) {
  const number = Number(/^w(\d+)$/.exec(marker)?.[1] ?? NaN);
  const at = text.lastIndexOf(marker);
  return !(
    wordsIn(text.slice(0, at)).some((n) => n >= number) ||
    wordsIn(text.slice(at)).some((n) => n < number)
  );
}

/** @param {string} text */
function wordsIn(text) {
  return [...text.matchAll(/\bw(\d+)\b/g)].map((match) => Number(match[1]));
}

/**
 * The element of the last text in which `marker` begins, though it may be cut over many nodes.
 * @param {Element} root @param {string} marker
 * @returns {Element | null}
 */
function lastOccurrence(root, marker) {
  let following = "";
  /** @type {Element | null} */
  let found = null;
  eachText(root, true, (text) => {
    if (!text) {
      following = "";
      return false;
    }
    const here = text.data;
    if (isWithin(here, here + following, marker) && !isOld(text) && isSeen(text)) found = parentOf(text);
    following = (here + following).slice(0, marker.length + 1);
    return found !== null;
  });
  return found;
}

/** @param {string} here @param {string} text  here and what follows @param {string} marker */
function isWithin(here, text, marker) {
  for (let at = text.lastIndexOf(marker); at >= 0; at = at ? text.lastIndexOf(marker, at - 1) : -1) {
    const isWhole = !/\w/.test(text[at - 1] ?? "") && !/\w/.test(text[at + marker.length] ?? "");
    if (at < here.length && (isWhole || !/^\w+$/.test(marker))) return true;
  }
  return false;
}

/** @param {Text} text  not in the box, and not a copy for screen readers */
function isSeen(text) {
  const element = parentOf(text);
  if (!element || (box && holds(box, element))) return false;
  if (!element.checkVisibility()) return false;
  for (let at = element; at; at = /** @type {Element} */ (parentOf(at))) {
    const { clip, clipPath, position, overflow } = getComputedStyle(at);
    const small = at.clientWidth <= 1 && at.clientHeight <= 1 && overflow === "hidden";
    if (position === "absolute" && (small || clip === "rect(0px, 0px, 0px, 0px)")) return false;
    if (clipPath === "inset(50%)") return false;
  }
  return true;
}

function answerElement() {
  return answer?.isConnected ? answer : null;
}

/** Whether the answer's last numbered word can be seen; buttons after it may wait for a pointer. */
function answerIsVisible() {
  if (!answer?.isConnected) return true;
  /** @type {Element[]} */
  const found = [];
  eachText(answer, true, (text) => {
    const element = text && /w\d/.test(text.data) ? parentOf(text) : null;
    if (element instanceof Element) found.push(element);
    return found.length > 0;
  });
  const [element] = found;
  return !element || element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}

/** The answer's whole text, with a line break wherever a word ends for certain; null: replaced. */
function answerText() {
  if (!answer?.isConnected) return null;
  /** @type {string[]} */
  const read = [];
  eachText(answer, false, (text) => {
    read.push(text ? text.data : "\n");
    return false;
  });
  return read.join("");
}

/** The highest numbered word near the answer's end; -1: none there; null: replaced. */
function lastWord() {
  if (!answer?.isConnected) return null;
  let tail = "";
  let nodes = 0;
  eachText(answer, true, (text) => {
    nodes += 1;
    if (!text) tail = `\n${tail}`;
    else {
      // substringData and not data: an answer in one text node is not copied whole.
      const from = Math.max(0, text.length - TAIL_CHARACTERS);
      tail = text.substringData(from, TAIL_CHARACTERS) + tail;
    }
    if (nodes > TAIL_NODES_AT_MOST || tail.length > TAIL_CHARACTERS_AT_MOST) return true;
    return tail.length > TAIL_CHARACTERS && /\bw\d+\b/.test(tail);
  });
  return Math.max(-1, ...wordsIn(tail));
}

/** A selector of which the answer is the last match, by its class or test id; "" if there is none. */
function answerSelector() {
  if (!answer?.isConnected) return "";
  const { localName, classList } = answer;
  const testid = answer.getAttribute("data-testid");
  const names = [...classList].map((name) => `${localName}.${CSS.escape(name)}`);
  const tried = [testid && `[data-testid="${CSS.escape(testid)}"]`, ...names];
  if (answer.id && !/\d/.test(answer.id)) tried.unshift(`#${CSS.escape(answer.id)}`);
  return tried.find((selector) => selector && isLast(selector, answer)) || "";
}

/** @param {string} selector @param {Element | null} element */
function isLast(selector, element) {
  /** @type {Element | null} */
  let last = null;
  eachElement(document, (candidate) => {
    if (candidate.matches(selector)) last = candidate;
  });
  return last === element;
}

/** Where a wheel turns the transcript: the middle of the visible part of what scrolls. */
function scrollSpot() {
  for (let at = answer?.isConnected ? answer : null; at; at = parentOf(at)) {
    const scrolls = /auto|scroll/.test(getComputedStyle(at).overflowY);
    if (!scrolls || at === document.body || at === document.documentElement) continue;
    if (at.scrollHeight <= at.clientHeight) continue;
    const { left, top, width, height } = at.getBoundingClientRect();
    const end = Math.min(innerHeight, top + height);
    return { x: left + width / 2, y: (Math.max(0, top) + end) / 2 };
  }
  return { x: innerWidth / 2, y: innerHeight / 2 };
}
