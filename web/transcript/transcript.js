/** @file The messages on the page, in groups that the browser lays out only where they are seen. */

import { inSlices } from "./slices.js";

/**
 * Messages of a group, and groups of a chapter. A check of each message by itself would cost more than it
 * spares (see markdown/view.js), and so do those of 63 groups, for 1,000 messages: 0.3 ms an update of 2.9.
 * What lies in a chapter that is out of sight is not even looked at.
 */
const GROUP = 16;
const CHAPTER = 8;

/**
 * @typedef {object} Shown  a message that can be put on the page
 * @property {HTMLElement} article
 * @property {() => Iterator<unknown>} fill  writes its text, a piece each step
 */

export class Transcript {
  /** What is still being filled. */
  #filling = new AbortController();
  /** Whether all messages are on the page; the older ones come as there is time. */
  isWhole = true;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  /** Adds a message behind the last. @param {HTMLElement} article */
  append(article) {
    let group = this.element.lastElementChild?.lastElementChild;
    if (!group || group.childElementCount >= GROUP) {
      group?.classList.add("finished");
      group = this.#lastChapter().appendChild(made("turns"));
    }
    group.append(article);
  }

  /** @param {string} id */
  find(id) {
    return this.element.querySelector(`[data-id="${CSS.escape(id)}"]`);
  }

  /** The messages on the page, in their order. */
  get ids() {
    const articles = /** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll("article[data-id]"));
    return Array.from(articles, ({ dataset }) => dataset["id"] ?? "");
  }

  /** Takes off a message and all behind it. @param {Element} article */
  cutFrom(article) {
    const [group, chapter] = [article.parentElement, article.parentElement?.parentElement];
    for (const part of [chapter, group, article]) while (part?.nextElementSibling) part.nextElementSibling.remove();
    article.remove();
    for (const part of [group, chapter]) if (part?.childElementCount === 0) part.remove();
    const last = this.element.lastElementChild;
    for (const part of [last, last?.lastElementChild]) part?.classList.remove("finished");
  }

  /**
   * Adds messages that are there already, and fills them as there is time.
   * @param {string[]} ids
   * @param {(id: string) => Shown} make
   */
  async extend(ids, make) {
    const messages = ids.map(make);
    for (const { article } of messages) this.append(article);
    await inSlices(fillAll(messages), this.#filling.signal);
  }

  clear() {
    this.#filling.abort();
    this.#filling = new AbortController();
    this.element.replaceChildren();
  }

  /**
   * Shows these messages and nothing else: the newest at once, the older ones above them as there is
   * time for it.
   * @param {string[]} ids
   * @param {(id: string) => Shown} make
   */
  async show(ids, make) {
    this.clear();
    this.isWhole = false;
    const { signal } = this.#filling;
    /** @type {string[][]} */
    const groups = [];
    for (let at = 0; at < ids.length; at += GROUP) groups.push(ids.slice(at, at + GROUP));
    for (let newest = true, group = groups.pop(); group; newest = false, group = groups.pop()) {
      if (!(await this.#showGroup(group.map(make), newest, signal))) return;
    }
    this.isWhole = true;
  }

  /**
   * @param {Shown[]} messages
   * @param {boolean} isNewest  it is seen while it is filled
   * @param {AbortSignal} signal
   */
  async #showGroup(messages, isNewest, signal) {
    const group = made("turns");
    group.append(...messages.map(({ article }) => article));
    if (isNewest) this.#lastChapter().prepend(group);
    const isWhole = await inSlices(fillAll(messages), signal);
    if (!isWhole || isNewest) return isWhole;
    group.classList.add("finished");
    this.#firstChapter().prepend(group);
    return true;
  }

  /** Where the next group goes. */
  #lastChapter() {
    const last = this.element.lastElementChild;
    if (last && last.childElementCount < CHAPTER) return last;
    last?.classList.add("finished");
    return this.element.appendChild(made("chapter"));
  }

  /** Where a group of older messages goes. */
  #firstChapter() {
    const first = this.element.firstElementChild;
    if (first && first.childElementCount < CHAPTER) return first;
    if (first !== this.element.lastElementChild) first?.classList.add("finished");
    const chapter = made("chapter");
    this.element.prepend(chapter);
    return chapter;
  }
}

/** The last one first: it is what is looked at. @param {Shown[]} messages */
function* fillAll(messages) {
  for (const message of messages.toReversed()) yield* { [Symbol.iterator]: () => message.fill() };
}

/** @param {string} className */
function made(className) {
  const element = document.createElement("div");
  element.className = className;
  return element;
}
