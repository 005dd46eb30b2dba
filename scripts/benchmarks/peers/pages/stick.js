/** @file Keeps a transcript at its end while it grows, unless somebody has scrolled up. */

const NEAR_PX = 40;

/**
 * After layout, once a frame, and so the same price for every renderer.
 * @param {HTMLElement} transcript  what scrolls
 * @param {HTMLElement} content  what grows in it
 */
export function stickToEnd(transcript, content) {
  let isAtEnd = true;
  transcript.addEventListener("wheel", ({ deltaY }) => {
    if (deltaY < 0) isAtEnd = false;
  }, { passive: true });
  transcript.addEventListener("scroll", () => {
    const { scrollHeight, scrollTop, clientHeight } = transcript;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) isAtEnd = true;
  }, { passive: true });
  new ResizeObserver(() => {
    if (isAtEnd) transcript.scrollTop = transcript.scrollHeight;
  }).observe(content);
}
