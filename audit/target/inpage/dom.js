/**
 * @file What the eye's other parts share: walking a document through its open shadow roots.
 *
 * These files are the inside of one function (see eye.py): nothing of them is global in the page.
 */

/** Elements whose text nobody sees. */
const SILENT = new Set(["script", "style", "noscript", "template", "textarea", "title", "option"]);

/** Elements that do not end a word, unless their style says otherwise. */
const INLINE = new Set(
  (
    "a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp slot small span " +
    "strong sub sup time u var wbr"
  ).split(" "),
);

/** @type {Map<string, boolean>} whether elements of that tag and class are inline */
const inlineByClass = new Map();

/**
 * Every element below `root`, in document order.
 * @param {Node} root
 * @param {(element: Element) => void} visit
 */
function eachElement(root, visit) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = /** @type {Element} */ (node);
    visit(element);
    if (element.shadowRoot) eachElement(element.shadowRoot, visit);
  }
}

/**
 * The text nodes below `node` as they are shown, with null wherever a word ends for certain.
 * @param {Node} node
 * @param {boolean} backwards
 * @param {(text: Text | null) => boolean} take  true: enough
 * @returns {boolean} whether it was enough
 */
function eachText(node, backwards, take) {
  if (node.nodeType === Node.TEXT_NODE) return take(/** @type {Text} */ (node));
  if (node instanceof Element && SILENT.has(node.localName)) return false;
  const breaks = node instanceof Element && !isInline(node);
  if (breaks && take(null)) return true;
  const slotted = node instanceof HTMLSlotElement ? node.assignedNodes({ flatten: true }) : [];
  if (slotted.length) {
    if (backwards) slotted.reverse();
    if (slotted.some((child) => eachText(child, backwards, take))) return true;
  } else {
    const parent = (node instanceof Element && node.shadowRoot) || node;
    let child = backwards ? parent.lastChild : parent.firstChild;
    for (; child; child = backwards ? child.previousSibling : child.nextSibling) {
      if (eachText(child, backwards, take)) return true;
    }
  }
  return breaks && take(null);
}

/** @param {Element} element */
function isInline(element) {
  const name = element.localName;
  if (name !== "span" && !name.includes("-")) return INLINE.has(name);
  // Spans and custom elements are what their style makes of them; asked once for a class.
  const key = `${name} ${element.className}`;
  let inline = inlineByClass.get(key);
  if (inline === undefined) {
    inline = /^(inline|contents)/.test(getComputedStyle(element).display);
    inlineByClass.set(key, inline);
  }
  return inline;
}

/** @param {Node} node @returns {Element | null} across the edge of a shadow tree */
function parentOf(node) {
  if (node instanceof Element && node.assignedSlot) return node.assignedSlot;
  const parent = node.parentNode;
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
}

/** @param {Node} ancestor @param {Node | null} node */
function holds(ancestor, node) {
  for (let at = node; at; at = parentOf(at)) if (at === ancestor) return true;
  return false;
}

/** @param {Element} element */
function isShown(element) {
  const { width, height } = element.getBoundingClientRect();
  const seen = { opacityProperty: true, visibilityProperty: true };
  return width > 3 && height > 3 && element.checkVisibility(seen);
}

/** @param {Element[]} elements */
function areShown(elements) {
  return elements.map(isShown);
}

/** @param {Element} element */
function isDisabled(element) {
  return element.matches(":disabled, [aria-disabled=true]") || element.closest("[inert]") !== null;
}

/**
 * Everything in words about a control: what a person reads, and what its author called it.
 * @param {Element} element
 */
function wordsOf(element) {
  const named = ["aria-label", "title", "placeholder", "data-placeholder", "aria-placeholder"];
  const called = ["data-testid", "id", "name", "value"];
  const labels = /** @type {HTMLInputElement} */ (element).labels ?? [];
  const isControl = !isEditable(element);
  return [
    ...[...named, ...called].map((name) => element.getAttribute(name) ?? ""),
    ...[...labels].map((label) => label.textContent ?? ""),
    isControl ? (element.textContent ?? "").trim().slice(0, 40) : "",
    typeof element.className === "string" ? element.className : "",
  ].join(" ");
}

/** @param {Element} element */
function isEditable(element) {
  return element.matches("textarea, input, [contenteditable], [role=textbox]");
}

/** @param {number} x @param {number} y @returns {Element | null} inside shadow trees too */
function elementAt(x, y) {
  let found = document.elementFromPoint(x, y);
  while (found?.shadowRoot) {
    const inner = found.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === found) break;
    found = inner;
  }
  return found;
}

/** @param {Element} element */
function boxOf(element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}

/** @param {Element} element  one line for a person */
function describe(element) {
  const type = element.getAttribute("type");
  const words = ["aria-label", "placeholder", "data-testid", "id"]
    .map((name) => [name, element.getAttribute(name)])
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}="${String(value).slice(0, 40)}"`);
  const state = [isShown(element) ? "" : "not visible", isDisabled(element) ? "disabled" : ""];
  const tag = `<${[element.localName, type && `type="${type}"`, ...words].filter(Boolean).join(" ")}>`;
  return [tag, ...state.filter(Boolean)].join(", ");
}

/**
 * A CSS selector that finds this element alone, or "". Selectors pierce shadow roots.
 * @param {Element} element
 */
function selectorOf(element) {
  // An id with a number in it is made anew by the next load: only where nothing else is there.
  const isMade = /\d/.test(element.id);
  const named = ["data-testid", "aria-label", "name", "placeholder"];
  for (const name of isMade ? [...named, "id"] : ["id", ...named]) {
    const value = element.getAttribute(name);
    if (!value) continue;
    const selector = `${element.localName}[${name}="${CSS.escape(value)}"]`;
    if (countOf(selector) === 1) return selector;
  }
  const kind = element.hasAttribute("contenteditable") ? "[contenteditable]" : "";
  for (const name of ["", ...element.classList]) {
    const selector = element.localName + kind + (name && `.${CSS.escape(name)}`);
    if (countOf(selector) === 1) return selector;
  }
  return "";
}

/** @param {string} selector */
function countOf(selector) {
  let count = 0;
  eachElement(document, (element) => (count += Number(element.matches(selector))));
  return count;
}
