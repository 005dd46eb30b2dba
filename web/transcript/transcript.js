/** @file The messages on the page, in groups that the browser lays out only where they are seen. */

import { inSlices } from "./slices.js";

/**
 * Messages of a group. A check of each message by itself would cost more than it spares: see
 * markdown/view.js.
 */
const GROUP = 16;

/**
 * @typedef {object} Shown  a message that can be put on the page
 * @property {HTMLElement} article
 * @property {() => Iterator<unknown>} fill  writes its text, a piece each step
 */

export class Transcript {
  /** What is still being filled. */
  #filling = new AbortController();

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
  }

  /** Adds a message behind the last. @param {HTMLElement} article */
  append(article) {
    let group = this.element.lastElementChild;
    if (!group?.classList.contains("turns") || group.childElementCount >= GROUP) {
      group?.classList.add("finished");
      group = this.element.appendChild(newGroup());
    }
    group.append(article);
  }

  /** @param {string} id */
  find(id) {
    return this.element.querySelector(`[data-id="${CSS.escape(id)}"]`);
  }

  /** Takes off a message and all behind it. @param {Element} article */
  cutFrom(article) {
    const group = article.parentElement;
    while (group?.nextElementSibling) group.nextElementSibling.remove();
    while (article.nextElementSibling) article.nextElementSibling.remove();
    article.remove();
    if (group?.childElementCount === 0) group.remove();
    this.element.lastElementChild?.classList.remove("finished");
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
    const { signal } = this.#filling;
    /** @type {string[][]} */
    const groups = [];
    for (let at = 0; at < ids.length; at += GROUP) groups.push(ids.slice(at, at + GROUP));
    for (let newest = true, group = groups.pop(); group; newest = false, group = groups.pop()) {
      if (!(await this.#showGroup(group.map(make), newest, signal))) return;
    }
  }

  /**
   * @param {Shown[]} messages
   * @param {boolean} isNewest  it is seen while it is filled
   * @param {AbortSignal} signal
   */
  async #showGroup(messages, isNewest, signal) {
    const group = newGroup();
    group.append(...messages.map(({ article }) => article));
    if (isNewest) this.element.prepend(group);
    const isWhole = await inSlices(fillAll(messages), signal);
    if (!isWhole || isNewest) return isWhole;
    group.classList.add("finished");
    this.element.prepend(group);
    return true;
  }
}

/** The last one first: it is what is looked at. @param {Shown[]} messages */
function* fillAll(messages) {
  for (const message of messages.toReversed()) yield* { [Symbol.iterator]: () => message.fill() };
}

function newGroup() {
  const group = document.createElement("div");
  group.className = "turns";
  return group;
}
