/** @file At most one call a frame. */

/**
 * @param {() => void} act
 * @returns {{ ask: () => void, settle: () => void }}  `settle` acts at once if asked meanwhile
 */
export function oncePerFrame(act) {
  let frame = 0;
  const now = () => {
    frame = 0;
    act();
  };
  return {
    ask() {
      frame ||= requestAnimationFrame(now);
    },
    settle() {
      if (!frame) return;
      cancelAnimationFrame(frame);
      now();
    },
  };
}
