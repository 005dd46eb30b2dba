/** @file What can be done with a conversation of the list. */

/** @import { StoredConversation } from "../keeping/types.js" */

/** @typedef {"rename" | "save-json" | "save-markdown" | "delete"} ConversationAct */

const GAP_PX = 4;

export class ConversationMenu {
  /** @type {StoredConversation | null} */
  #conversation = null;
  /** @type {HTMLElement | null} */
  #opener = null;

  /**
   * @param {HTMLElement} menu  a popover of buttons with `data-act`
   * @param {(act: ConversationAct, conversation: StoredConversation) => void} onAct
   */
  constructor(menu, onAct) {
    this.menu = menu;
    menu.addEventListener("click", ({ target }) => {
      const act = target instanceof HTMLElement ? target.closest("button")?.dataset["act"] : undefined;
      const conversation = this.#conversation;
      if (!act || !conversation) return;
      menu.hidePopover();
      onAct(/** @type {ConversationAct} */ (act), conversation);
    });
    menu.addEventListener("keydown", (event) => this.#move(event));
  }

  /**
   * @param {StoredConversation} conversation
   * @param {HTMLElement} opener  the button it opens at
   */
  open(conversation, opener) {
    this.#conversation = conversation;
    this.#opener = opener;
    this.menu.showPopover();
    this.#place();
    this.menu.querySelector("button")?.focus();
  }

  #place() {
    const at = /** @type {HTMLElement} */ (this.#opener).getBoundingClientRect();
    const { offsetWidth, offsetHeight, style } = this.menu;
    style.left = `${Math.max(GAP_PX, Math.min(at.right, innerWidth - GAP_PX) - offsetWidth)}px`;
    style.top = `${Math.min(at.bottom + GAP_PX, innerHeight - offsetHeight - GAP_PX)}px`;
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const buttons = [...this.menu.querySelectorAll("button")];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    buttons[(at + by + buttons.length) % buttons.length]?.focus();
  }
}
