/** @file The open conversation stands in the address: a reload, Back and a bookmark find it again. */

export class Address {
  #isFollowed = false;
  /** While a person goes back or on, nothing new is put behind: it would end the way on. */
  #visits = 0;

  /** @param {(id: string) => Promise<void>} onVisit  empty: a new conversation */
  constructor(onVisit) {
    this.onVisit = onVisit;
  }

  /** Opens what the address names, now and whenever a person goes back or on. */
  async follow() {
    addEventListener("popstate", () => void this.#visit());
    await this.onVisit(idOf(location.hash));
    this.#isFollowed = true;
  }

  /** @param {string} id  of what is open; empty: nothing that is kept */
  show(id) {
    if (!this.#isFollowed || id === idOf(location.hash)) return;
    const address = id ? `#${id}` : location.pathname;
    if (this.#visits > 0) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  }

  async #visit() {
    this.#visits += 1;
    await this.onVisit(idOf(location.hash)).finally(() => (this.#visits -= 1));
  }
}

/** @param {string} hash */
const idOf = (hash) => hash.slice(1);
