/** @file Keeping the newest text in view, until the user moves up. */

/** How near the bottom still counts as being there, px. */
const NEAR_PX = 40;

/** The one owner of the transcript's scroll position. */
export class Scroll {
  #isStuck = true;
  #lastTop = 0;

  /**
   * @param {HTMLElement} scroller
   * @param {HTMLElement} latest  the button that leads back to the newest text
   */
  constructor(scroller, latest) {
    this.scroller = scroller;
    this.latest = latest;
    scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    latest.addEventListener("click", () => this.stick());
  }

  /** Called in a frame that added text. */
  follow() {
    // Any value past the end is the end; reading scrollHeight would cost a layout of its own.
    if (this.#isStuck) this.scroller.scrollTop = Number.MAX_SAFE_INTEGER;
  }

  /** Back to the newest text, as when the user sends. */
  stick() {
    this.#set(true);
    this.follow();
  }

  #look() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const isNear = scrollHeight - clientHeight - scrollTop < NEAR_PX;
    // By wheel, touch, key or drag: only a person moves up. What grows above moves nobody.
    const isUp = scrollTop < this.#lastTop;
    this.#lastTop = scrollTop;
    if (isNear) this.#set(true);
    else if (isUp) this.#set(false);
  }

  /** @param {boolean} isStuck */
  #set(isStuck) {
    this.#isStuck = isStuck;
    this.latest.hidden = isStuck;
  }
}
