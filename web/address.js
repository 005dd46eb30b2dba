/** @file The open conversation stands in the address: a reload, Back and a bookmark find it again. */

export class Address {
  #isFollowed = false;

  /** @param {(id: string) => Promise<void>} onVisit  empty: a new conversation */
  constructor(onVisit) {
    this.onVisit = onVisit;
  }

  /** Opens what the address names, now and whenever a person goes back or on. */
  async follow() {
    addEventListener("popstate", () => void this.onVisit(idOf(location.hash)));
    await this.onVisit(idOf(location.hash));
    this.#isFollowed = true;
  }

  /** @param {string} id  of what is open; empty: nothing that is kept */
  show(id) {
    if (this.#isFollowed && id !== idOf(location.hash)) history.pushState(null, "", id ? `#${id}` : location.pathname);
  }
}

/** @param {string} hash */
const idOf = (hash) => hash.slice(1);
