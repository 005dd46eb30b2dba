/** @file The focus, when what had it is gone: left alone it falls to the document, and what is typed goes nowhere. */

/** On a touch screen the keyboard would come up. */
const HAS_POINTER = matchMedia("(hover: hover)");

/** @param {HTMLElement} home  what has the focus then */
export function keepFocus(home) {
  /** @type {Element | null} */
  let last = null;
  const look = () => {
    if (!last || last.checkVisibility() || document.querySelector("dialog[open], :popover-open")) return;
    // What was hidden keeps the focus until the next frame.
    const now = document.activeElement;
    if (now === document.body || now === last) giveFocus(home);
    last = null;
  };
  document.addEventListener("focusin", ({ target }) => (last = /** @type {Element} */ (target)));
  for (const type of ["click", "keydown", "submit"]) document.addEventListener(type, () => setTimeout(look));
}

/** @param {HTMLElement} element */
export function giveFocus(element) {
  if (HAS_POINTER.matches) element.focus();
}
