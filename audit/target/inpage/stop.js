/** @file The control that ends an answer. */

const STOPS = /(^|[^a-z])(stop|abort|interrupt|halt)|(^|\s)cancel|停止|中止|终止|取消/i;
const STOPS_FOR_CERTAIN = /(^|[^a-z])stop|停止/i;

/** @returns {Element[]} visible controls that say Stop */
function stopLike() {
  /** @type {Element[]} */
  const found = [];
  eachElement(document, (element) => {
    if (!element.matches("button, [role=button], input[type=button], input[type=submit], a, [onclick], [class*=stop i]")) return;
    if ((element.textContent ?? "").length > 60 || isEditable(element) && !element.matches("input")) return;
    if (STOPS.test(wordsOf(element)) && isShown(element) && !isDisabled(element)) found.push(element);
  });
  return found;
}

/** The Stop button's box while there is one, else null. */
function findStop() {
  const all = stopLike();
  const found = all.filter((element) => !beforeStops.has(element));
  const certain = found.filter((element) => STOPS_FOR_CERTAIN.test(wordsOf(element)));
  const best = nearest(certain) ?? nearest(found);
  if (best) return { box: aimAt(best), selector: selectorOf(best) };
  // No selector tells it from Send.
  const instead = replacedSend();
  if (instead) return { box: aimAt(instead), selector: "" };
  // Some pages show theirs all the time.
  const always = nearest(all.filter((element) => STOPS_FOR_CERTAIN.test(wordsOf(element))));
  return always && { box: aimAt(always), selector: selectorOf(always) };
}

/** @param {Element[]} elements  the one nearest to the box: others belong to other things */
function nearest(elements) {
  if (!elements.length) return null;
  const to = middleOf(box?.isConnected ? box : document.body);
  const away = (/** @type {Element} */ element) => {
    const at = middleOf(element);
    return Math.hypot(at.x - to.x, at.y - to.y);
  };
  return elements.reduce((a, b) => (away(b) < away(a) ? b : a));
}

/** @param {Element} element */
function middleOf(element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}

/** What stands where Send was, if it is another control or looks like one. */
function replacedSend() {
  if (!sendSpot) return null;
  const { element, face } = sendSpot;
  const { x, y } = element.isConnected && isShown(element) ? middleOf(element) : sendSpot;
  const hit = elementAt(x, y)?.closest("button, [role=button], [onclick], input, a") ?? null;
  if (!hit || isDisabled(hit) || isEditable(hit)) return null;
  return hit !== element || faceOf(hit) !== face ? hit : null;
}

/**
 * @type {{aim: Element | null, words: string, click: number | null, down: number | null}}
 *   what is to be pressed, what it says, and event times in performance.now()'s terms
 */
const pressed = { aim: null, words: "", click: null, down: null };

const CONTROLS = "button, [role=button], input, a, [onclick], [class*=stop i]";

/** @param {Element} stop  where it is, for a press; null while it takes none */
function aimAt(stop) {
  [pressed.aim, pressed.words] = [stop, wordsOf(stop)];
  return enabledBox(stop);
}

/** Watches for the press that comes next. */
function watchPress() {
  [pressed.click, pressed.down] = [null, null];
  const options = { capture: true, once: true };
  addEventListener("pointerdown", (event) => (pressed.down = reaches(event) ? event.timeStamp : null), options);
  addEventListener("click", (event) => (pressed.click = reaches(event) ? event.timeStamp : null), options);
}

/**
 * Something may lie over the button, and text that grows pushes it away between the look and the
 * press, or between the press and the release: the click is then another element's.
 * @param {Event} event
 */
function reaches(event) {
  const stop = /** @type {Element} */ (pressed.aim);
  const path = event.composedPath().filter((each) => each instanceof Element);
  // A sign in a button is pressed by any part of the button.
  if (stop.isConnected) return path.includes(stop.closest(CONTROLS) ?? stop);
  // Drawn anew since: another that says the same.
  return path.some((each) => each.matches(CONTROLS) && wordsOf(each) === pressed.words);
}

/** When it happened: the click, or the pointer's going down where that took the button away; null if it missed. */
function pressedAt() {
  return pressed.click ?? (isTakenAway() ? pressed.down : null);
}

function isTakenAway() {
  if (pressed.aim?.isConnected && isShown(pressed.aim)) return false;
  return !stopLike().some((element) => wordsOf(element) === pressed.words); // it was only drawn anew
}
