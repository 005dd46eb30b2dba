/** @file The panel at the side: the list, its search, what is done with an entry, files in and out. */

import { giveFocus } from "../focus.js";
import { ConversationMenu } from "./menu.js";
import { Sidebar } from "./sidebar.js";

/** @import { Chat } from "../chat.js" */
/** @import { Library } from "../conversations/library.js" */
/** @import { Keeper } from "../keeping/keeper.js" */
/** @import { StoredConversation } from "../keeping/types.js" */
/** @import { ConversationAct } from "./menu.js" */

/** Beside the transcript there is room for it from this width on; below, it lies over it. */
const WIDE = matchMedia("(min-width: 62rem)");

/** @typedef {<T extends HTMLElement>(id: string, type: new () => T) => T} Find */

export class Panel {
  /**
   * @param {Find} find
   * @param {Keeper} keeper
   * @param {Library} library
   */
  constructor(find, keeper, library) {
    this.library = library;
    this.nav = find("sidebar", HTMLElement);
    this.shade = find("shade", HTMLElement);
    this.opener = find("toggle-sidebar", HTMLButtonElement);
    this.search = find("search", HTMLInputElement);
    this.prompt = find("prompt", HTMLTextAreaElement);
    const menu = new ConversationMenu(find("conversation-menu", HTMLElement), (act, record) => this.#act(act, record));
    this.rename = find("rename", HTMLDialogElement);
    this.list = new Sidebar({
      list: find("conversations", HTMLElement),
      search: this.search,
      nothing: find("nothing", HTMLElement),
      keeper,
      onOpen: (id) => this.#open(id),
      onMenu: (record, button) => menu.open(record, button),
    });
    this.#serve(find);
    this.#toggle(WIDE.matches);
  }

  /** @param {Chat} chat */
  mark(chat) {
    this.list.mark(chat.conversation.id, chat.answering.busyWith?.id ?? "");
  }

  refresh() {
    return this.list.refresh();
  }

  /** Shows the panel, to search in. */
  seek() {
    this.#toggle(true);
    this.search.select();
    this.search.focus();
  }

  /** @returns {boolean}  whether it lay over the page and is gone now */
  dismiss() {
    if (this.nav.hidden || WIDE.matches) return false;
    this.#toggle(false);
    this.opener.focus();
    return true;
  }

  /** @param {Find} find */
  #serve(find) {
    this.opener.addEventListener("click", () => this.#toggle(this.nav.hidden));
    this.shade.addEventListener("click", () => this.#toggle(false));
    WIDE.addEventListener("change", () => this.#toggle(WIDE.matches));
    find("export", HTMLButtonElement).addEventListener("click", () => void this.library.saveJson(null));
    const file = find("import-file", HTMLInputElement);
    find("import", HTMLButtonElement).addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      const [given] = file.files ?? [];
      file.value = ""; // so that choosing the same file again is a change
      if (given) void this.library.import(given);
    });
    this.rename.querySelector("[data-act=close]")?.addEventListener("click", () => this.rename.close());
  }

  /** @param {boolean} isShown */
  #toggle(isShown) {
    this.nav.hidden = !isShown;
    this.shade.hidden = !isShown || WIDE.matches;
    this.opener.setAttribute("aria-expanded", String(isShown));
  }

  /** @param {string} id */
  #open(id) {
    if (!WIDE.matches) this.#toggle(false);
    void this.library.open(id).then(() => giveFocus(this.prompt));
  }

  /**
   * @param {ConversationAct} act
   * @param {StoredConversation} record
   */
  #act(act, record) {
    switch (act) {
      case "rename":
        return this.#askTitle(record);
      case "save-json":
        return void this.library.saveJson(record);
      case "save-markdown":
        return void this.library.saveMarkdown(record);
      case "delete":
        return void this.library.delete(record);
    }
  }

  /** @param {StoredConversation} record */
  #askTitle(record) {
    const form = /** @type {HTMLFormElement} */ (this.rename.querySelector("form"));
    const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("title"));
    field.value = record.title;
    form.onsubmit = () => field.value.trim() && this.library.rename(record, field.value.trim());
    this.rename.showModal();
    field.select();
  }
}
