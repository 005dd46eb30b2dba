/** @file Keeping the newest text in view, until the user scrolls away. */

/** How near the bottom still counts as being there, px. */
const NEAR_PX = 40;

/** The one owner of the transcript's scroll position. */
export class Scroll {
  #stuck = true;

  /** @param {HTMLElement} scroller */
  constructor(scroller) {
    this.scroller = scroller;
    scroller.addEventListener("scroll", () => this.#look(), { passive: true });
  }

  /** Called in a frame that added text. */
  follow() {
    // Any value past the end is the end; reading scrollHeight would cost a layout of its own.
    if (this.#stuck) this.scroller.scrollTop = Number.MAX_SAFE_INTEGER;
  }

  /** Back to the newest text, as when the user sends. */
  stick() {
    this.#stuck = true;
    this.follow();
  }

  #look() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    this.#stuck = scrollHeight - clientHeight - scrollTop < NEAR_PX;
  }
}
