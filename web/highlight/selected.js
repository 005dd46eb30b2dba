/** @file Keeps what is selected in a text while its nodes are moved. */

export class Selected {
  /**
   * @param {Selection} selection
   * @param {Element} element
   */
  constructor(selection, element) {
    const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
    this.selection = selection;
    this.element = element;
    this.anchor = placeIn(element, anchorNode, anchorOffset);
    this.focus = placeIn(element, focusNode, focusOffset);
  }

  /**
   * What is selected, if that begins or ends in the element.
   * @param {Element} element
   */
  static within(element) {
    const selection = getSelection();
    const isIn = selection && (element.contains(selection.anchorNode) || element.contains(selection.focusNode));
    return isIn ? new Selected(selection, element) : null;
  }

  /** The same characters again. */
  restore() {
    const [anchor, anchorOffset] = nodeAt(this.element, this.anchor);
    const [focus, focusOffset] = nodeAt(this.element, this.focus);
    this.selection.setBaseAndExtent(anchor, anchorOffset, focus, focusOffset);
  }
}

/** As an offset in the element's text, or as it is. @typedef {number | [Node, number]} Place */

/**
 * @param {Element} element
 * @param {Node | null} node
 * @param {number} offset
 * @returns {Place}
 */
function placeIn(element, node, offset) {
  if (!node || !element.contains(node)) return [/** @type {Node} */ (node), offset];
  const range = document.createRange();
  range.setStart(element, 0);
  range.setEnd(node, offset);
  return range.toString().length;
}

/**
 * @param {Element} element
 * @param {Place} place
 * @returns {[Node, number]}
 */
function nodeAt(element, place) {
  if (typeof place !== "number") return place;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let rest = place;
  for (let text = /** @type {Text | null} */ (walker.nextNode()); text; text = /** @type {Text | null} */ (walker.nextNode())) {
    if (rest <= text.length) return [text, rest];
    rest -= text.length;
  }
  return [element, element.childNodes.length];
}
