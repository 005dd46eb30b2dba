/** @file The conversations in a list at the side, and the search through them. */

import { isComposing } from "../composer/keys.js";
import { say } from "../words.js";

/** @import { Keeper } from "../keeping/keeper.js" */
/** @import { StoredConversation } from "../keeping/types.js" */

/** Entries shown at first, and with each "Show more". */
const PAGE = 60;

/** A search begins when typing rests, ms. */
const REST_MS = 150;

/**
 * @typedef {object} SidebarParts
 * @property {HTMLElement} list
 * @property {HTMLInputElement} search
 * @property {HTMLElement} nothing  what says that there is nothing
 * @property {Keeper} keeper
 * @property {(id: string) => void} onOpen
 * @property {(conversation: StoredConversation, button: HTMLElement) => void} onMenu
 */

export class Sidebar {
  /** @type {StoredConversation[]} */
  #conversations = [];
  /** What was sought and found: the list has the newest alone. @type {StoredConversation[]} */
  #found = [];
  #shown = PAGE;
  #current = "";
  #busy = "";
  #searches = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #rest;

  /** @param {SidebarParts} parts */
  constructor(parts) {
    this.parts = parts;
    parts.search.addEventListener("input", () => {
      clearTimeout(this.#rest);
      this.#rest = setTimeout(() => void this.#look(), REST_MS);
    });
    parts.search.addEventListener("keydown", (event) => this.#leaveSearch(event));
    parts.list.addEventListener("keydown", (event) => this.#move(event));
    parts.list.addEventListener("click", ({ target }) => this.#clicked(/** @type {Element} */ (target)));
  }

  /** @param {string} id  of a conversation in the list */
  get(id) {
    return [...this.#found, ...this.#conversations].find((conversation) => conversation.id === id) ?? null;
  }

  /** Reads the list anew. */
  async refresh() {
    this.#conversations = await this.parts.keeper.conversations();
    await this.#look();
  }

  /**
   * Which conversation is shown, and which one an answer is made for; empty: none.
   * @param {string} current
   * @param {string} busy
   */
  mark(current, busy) {
    if (current === this.#current && busy === this.#busy) return;
    [this.#current, this.#busy] = [current, busy];
    for (const item of this.parts.list.querySelectorAll("li")) this.#markItem(item);
  }

  /** What is sought, or all there is. */
  async #look() {
    const query = this.parts.search.value.trim();
    this.#searches += 1;
    const search = this.#searches;
    const found = query ? await this.parts.keeper.search(query) : null;
    if (search !== this.#searches) return;
    this.#found = found?.map(({ conversation }) => conversation) ?? [];
    if (found) this.#draw(found.map(({ conversation, excerpt }) => this.#item(conversation, excerpt)), say("Nothing found"));
    else this.#drawAll();
  }

  #drawAll() {
    const items = this.#conversations.slice(0, this.#shown).map((conversation) => this.#item(conversation, ""));
    this.#draw(items, say("No conversations yet"));
    if (this.#conversations.length > this.#shown) this.parts.list.append(moreItem());
  }

  /**
   * @param {HTMLElement[]} items
   * @param {string} nothing  what to say of none
   */
  #draw(items, nothing) {
    const { list } = this.parts;
    const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
    const id = itemOf(list.children[focused] ?? null);
    list.replaceChildren(...items);
    this.parts.nothing.textContent = items.length ? "" : nothing;
    if (focused < 0) return;
    // Of one that is gone the focus goes to what stands in its place.
    const again = items.find((item) => itemOf(item) === id) ?? items[Math.min(focused, items.length - 1)];
    (again?.querySelector("button") ?? this.parts.search).focus();
  }

  /**
   * @param {StoredConversation} conversation
   * @param {string} excerpt  where it was found; may be empty
   */
  #item({ id, title }, excerpt) {
    const item = document.createElement("li");
    item.dataset["conversation"] = id;
    const open = button("open", title || say("Untitled"));
    open.title = title;
    open.dir = "auto";
    if (excerpt) open.append(line(excerpt));
    const menu = button("menu", "⋯");
    menu.setAttribute("aria-label", say("Rename, export or delete “{title}”", { title }));
    menu.setAttribute("aria-haspopup", "menu");
    item.append(open, menu);
    this.#markItem(item);
    return item;
  }

  /** @param {HTMLElement} item */
  #markItem(item) {
    const id = item.dataset["conversation"];
    item.classList.toggle("busy", id === this.#busy && this.#busy !== "");
    const open = item.querySelector("button");
    if (id && id === this.#current) open?.setAttribute("aria-current", "page");
    else open?.removeAttribute("aria-current");
  }

  /** To what was found: Enter opens the first, the arrow leads into the list. @param {KeyboardEvent} event */
  #leaveSearch(event) {
    const first = this.parts.list.querySelector("button");
    if (!first || isComposing(event)) return;
    if (event.key === "ArrowDown") first.focus();
    else if (event.key === "Enter" && this.parts.search.value.trim()) first.click();
    else return;
    event.preventDefault();
  }

  /** Arrows lead through the list, and back to the search. @param {KeyboardEvent} event */
  #move(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const { list, search } = this.parts;
    const buttons = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button:first-child")]);
    const at = buttons.findIndex((button) => button.parentElement?.contains(document.activeElement));
    if (!by || at < 0) return;
    event.preventDefault();
    event.stopPropagation(); // the arrow up edits the last message elsewhere
    (buttons[at + by] ?? (by < 0 ? search : buttons[at]))?.focus();
  }

  /** @param {Element} target */
  #clicked(target) {
    const clicked = target.closest("button");
    const id = itemOf(target);
    if (clicked?.dataset["act"] === "more") {
      this.#shown += PAGE;
      this.#drawAll();
    } else if (clicked?.dataset["act"] === "open" && id) this.parts.onOpen(id);
    else if (clicked?.dataset["act"] === "menu" && id) {
      const conversation = this.get(id);
      if (conversation) this.parts.onMenu(conversation, clicked);
    }
  }
}

/** @param {Element | null} element */
function itemOf(element) {
  return /** @type {HTMLElement | null | undefined} */ (element?.closest("[data-conversation]"))?.dataset["conversation"] ?? "";
}

/**
 * @param {string} act
 * @param {string} text
 */
function button(act, text) {
  const made = document.createElement("button");
  made.type = "button";
  made.dataset["act"] = act;
  made.dataset["testid"] = `${act}-conversation`;
  made.textContent = text;
  return made;
}

/** @param {string} text */
function line(text) {
  const made = document.createElement("small");
  made.textContent = text;
  return made;
}

function moreItem() {
  const item = document.createElement("li");
  item.append(button("more", say("Show more")));
  return item;
}
