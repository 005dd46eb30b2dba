/** @file Where a person would write, and how they would send it. */

const FIELDS =
  "textarea, input:not([type]), input[type=text], input[type=search], [contenteditable]:not([contenteditable=false]), [role=textbox]";
const BUTTONS =
  "button, [role=button], input[type=submit], input[type=button], input[type=image], [onclick], a[href='#'], " +
  "[class*=send i], [id*=send i], [class*=submit i], [id*=submit i]";

const ASKS = /message|\bask|prompt|chat|\bsend|type|write|reply|question|输入|发送|消息|提问|问我|聊天|对话/i;
const SEEKS = /search|filter|\bfind|e-?mail|password|url|title|rename|搜索|查找|筛选|邮箱/i;
const SENDS = /\bsend|submit|发送|提交|送信|\bask\b|(^|[-_ ])send/i;
const OTHERWISE =
  /attach|upload|file|image|photo|mic\b|microphone|voice|record|dictat|speech|setting|model|clear|reset|\bnew\b|stop|cancel|menu|option|search|tool|plus|\badd\b|emoji|retry|undo|theme|close|copy|share|附件|上传|语音|设置|停止|取消|清空/i;
const STARTS =
  /^\W*(new|start( a)?( new)?|open|begin)\s+(chat|conversation|thread|session)|^\W*chat (now|with)|新(建)?(对话|聊天|会话)|开始(对话|聊天)/i;
const DISMISSES = [
  /reject|decline|necessary only|only necessary|拒绝/i,
  /accept|agree|allow|got it|understood|^\W*ok(ay)?\W*$|同意|接受|知道了|确定/i,
  /close|dismiss|skip|later|continue|^\W*[×✕x]\W*$|关闭|跳过|继续/i,
];

/** @type {Element[]} the fields of the last look, best first */
let fields = [];
/** @type {Element | null} */
let box = null;

/** What could be the prompt box, best first: score, selector and a line for a person. */
function findPrompts() {
  /** @type {{element: Element, score: number}[]} */
  const found = [];
  eachElement(document, (element) => {
    if (!element.matches(FIELDS) || isInsideField(element)) return;
    found.push({ element, score: scorePrompt(element) });
  });
  found.sort((a, b) => b.score - a.score);
  fields = found.map(({ element }) => element);
  return found.slice(0, 8).map(({ element, score }) => ({
    score,
    usable: isUsable(element),
    selector: selectorOf(element),
    what: describe(element),
  }));
}

/** @param {Element} element  an editor's own pieces are not boxes of their own */
function isInsideField(element) {
  return element.parentElement?.closest("[contenteditable]:not([contenteditable=false])") != null;
}

/** @param {Element} element */
function isUsable(element) {
  const readOnly = element.matches("[readonly], [aria-readonly=true]");
  return isShown(element) && !isDisabled(element) && !readOnly;
}

/** @param {Element} element */
function scorePrompt(element) {
  const { width, height, bottom } = element.getBoundingClientRect();
  if (!isShown(element) || width < 40) return -100;
  const words = wordsOf(element);
  const isArea = !element.matches("input");
  let score = isArea ? 25 : 8;
  score += 15 * Math.min(1, width / innerWidth) + Math.min(5, height / 20);
  score += 20 * Math.min(1, Math.max(0, bottom / innerHeight));
  if (ASKS.test(words)) score += 25;
  if (SEEKS.test(words) || element.matches("[type=search], [role=searchbox]")) score -= 45;
  if (element.closest("nav, header, aside, [role=search]")) score -= 15;
  if (element.closest("form, [role=form]")) score += 5;
  if (element.matches(":focus")) score += 8;
  return Math.round(score);
}

/** @param {number} index  of the last `findPrompts` */
function useField(index) {
  box = fields[index] ?? null;
}

/** @param {Element} element */
function useBox(element) {
  box = element;
  return { usable: isUsable(element), selector: selectorOf(element), what: describe(element) };
}

/** Where the page has a new box since the last time, without waiting for it. */
function guessBox() {
  const [best] = findPrompts();
  box = best && best.score > 15 ? (fields[0] ?? null) : null;
}

/** The box as it is now; null once the page has thrown it away. */
function boxText() {
  if (!box?.isConnected) return null;
  const { value } = /** @type {HTMLTextAreaElement} */ (box);
  if (value !== undefined) return value;
  // An empty editor shows its placeholder by CSS, or as a child that cannot be edited.
  const copy = /** @type {Element} */ (box.cloneNode(true));
  copy.querySelectorAll("[contenteditable=false], [class*=placeholder i]").forEach((e) => e.remove());
  return copy.textContent ?? "";
}

function boxIsUsable() {
  return box !== null && box.isConnected && isUsable(box);
}

/** What lies over the box, as a control that would take it away; null: nothing, or no such. */
function findDismissal() {
  if (!box?.isConnected) return null;
  const cover = coverOf(box);
  if (!cover) return null;
  const within = cover.closest("dialog, [role=dialog], [role=alertdialog], [aria-modal=true]");
  let scope = within ?? cover;
  // A banner's backdrop and its buttons are often siblings: look one level further out.
  for (let i = 0; i < 3 && scope !== document.body; i++) {
    const buttons = [...scope.querySelectorAll("button, [role=button], a, input[type=button]")];
    for (const words of DISMISSES) {
      const found = buttons.find((b) => isShown(b) && words.test(labelOf(b)));
      if (found) return boxOf(found);
    }
    scope = parentOf(scope) ?? document.body;
  }
  return null;
}

/** @param {Element} element */
function labelOf(element) {
  const name = element.getAttribute("aria-label") || element.getAttribute("title");
  return (name || element.textContent || element.getAttribute("value") || "").trim().slice(0, 60);
}

/** @param {Element} element  what a click into its middle would hit instead of it */
function coverOf(element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  const hit = elementAt(x + width / 2, y + height / 2);
  if (!hit || holds(element, hit) || holds(hit, element)) return null;
  // A placeholder painted over the box is part of the same control.
  const control = element.parentElement;
  return control && control !== document.body && holds(control, hit) ? null : hit;
}

/** The control that starts a conversation, where there is no prompt box before that. */
function findStart() {
  /** @type {Element | null} */
  let found = null;
  eachElement(document, (element) => {
    if (found || !element.matches("button, a, [role=button]")) return;
    if (STARTS.test(labelOf(element)) && isShown(element) && !isDisabled(element)) found = element;
  });
  return found && inView(found);
}

/** @param {Element} element  its box, scrolled to where a mouse can reach it */
function inView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) element.scrollIntoView({ block: "nearest" });
  return boxOf(element);
}

/** @type {{element: Element, x: number, y: number, face: string} | null} where Send was */
let sendSpot = null;

/** The button that sends what is in the box: its box and selector, or null. */
function findSend() {
  const found = bestSend(true);
  return found && { box: inView(found), selector: selectorOf(found), what: describe(found) };
}

/** @param {boolean} enabledOnly @returns {Element | null} */
function bestSend(enabledOnly) {
  if (!box?.isConnected) return null;
  const field = box.getBoundingClientRect();
  /** @type {Element | null} */
  let best = null;
  let bestScore = 0;
  eachElement(document, (element) => {
    if (!element.matches(BUTTONS) || holds(element, box) || element.contains(box)) return;
    if (isEditable(element) && !element.matches("[type=submit], [type=button], [type=image]")) return;
    if (!isShown(element) || (enabledOnly && isDisabled(element))) return;
    const score = scoreSend(element, field);
    if (score > bestScore) [best, bestScore] = [element, score];
  });
  return best;
}

/** @param {Element} element @param {DOMRect} field */
function scoreSend(element, field) {
  const { x, y, width, height } = element.getBoundingClientRect();
  if (width > 300 || height > 120) return -1;
  const across = Math.max(field.left - x - width, x - field.right, 0);
  const down = Math.max(field.top - y - height, y - field.bottom, 0);
  const away = Math.hypot(across, down);
  const words = wordsOf(element);
  let score = 40 - away / 4;
  if (SENDS.test(words)) score += 60;
  if (element.matches("[type=submit], form button:not([type])")) score += 30;
  if (OTHERWISE.test(words)) score -= 70;
  // What sends is at the end of the line, where the hand is when the words are written.
  score += 8 * Math.min(1, Math.max(0, (x - field.left) / Math.max(1, field.width)));
  return score;
}

/** Remembers where Send is, to see later what took its place. */
function rememberSend() {
  const element = bestSend(false);
  if (!element) return;
  const { x, y, width, height } = element.getBoundingClientRect();
  sendSpot = { element, x: x + width / 2, y: y + height / 2, face: faceOf(element) };
}

/** @param {Element} element  what a person tells it by, apart from being disabled */
function faceOf(element) {
  return `${element.getAttribute("aria-label")} ${element.getAttribute("title")} ${element.innerHTML}`;
}

/** Whether the box is there and has the cursor in it. */
function focusBox() {
  if (!box?.isConnected) return false;
  /** @type {HTMLElement} */ (box).focus({ preventScroll: true });
  return true;
}

/** @param {Element} element  where it is, if a click would do something; else null */
function enabledBox(element) {
  return isDisabled(element) ? null : inView(element);
}
