/**
 * @file A tab that says it is hidden: runs in the page's own world, at hide() or before any script.
 *
 * What a page notices of a hidden tab: document.hidden and visibilityState, hasFocus(), blur and
 * visibilitychange, animation frames that do not come, timers that fire at most once a second.
 */

/** @param {boolean} stays  also wraps what runs already: only possible before the page's scripts */
function install(stays) {
  /** Chromium wakes the timers of a hidden page once a second. */
  const SLOWEST_MS = 1000;
  const native = {
    requestAnimationFrame: globalThis.requestAnimationFrame,
    cancelAnimationFrame: globalThis.cancelAnimationFrame,
    setTimeout: globalThis.setTimeout,
    setInterval: globalThis.setInterval,
  };
  let hidden = false;
  /** @type {Map<number, FrameRequestCallback>} */
  const held = new Map();
  // Ids that the browser does not reach: cancelling one must not cancel another.
  let nextId = 2 ** 30;

  const wrapped = {
    /** @param {FrameRequestCallback} callback */
    requestAnimationFrame(callback) {
      if (!hidden) return native.requestAnimationFrame.call(globalThis, callback);
      held.set(nextId, callback);
      return nextId++;
    },
    /** @param {number} id */
    cancelAnimationFrame(id) {
      if (!held.delete(id)) native.cancelAnimationFrame.call(globalThis, id);
    },
    /** @param {TimerHandler} handler @param {number} [ms] @param {...unknown} args */
    setTimeout(handler, ms = 0, ...args) {
      return native.setTimeout.call(globalThis, handler, slowed(ms), ...args);
    },
    /** @param {TimerHandler} handler @param {number} [ms] @param {...unknown} args */
    setInterval(handler, ms = 0, ...args) {
      if (!stays || typeof handler !== "function") {
        return native.setInterval.call(globalThis, handler, slowed(ms), ...args);
      }
      let ranAt = -Infinity;
      const paced = () => {
        const now = performance.now();
        if (hidden && now - ranAt < SLOWEST_MS) return;
        ranAt = now;
        handler.apply(globalThis, args);
      };
      return native.setInterval.call(globalThis, paced, ms);
    },
  };

  /** @param {number} ms */
  function slowed(ms) {
    return hidden ? Math.max(SLOWEST_MS, Number(ms) || 0) : ms;
  }

  const answers = {
    hidden: { get: () => true },
    webkitHidden: { get: () => true },
    visibilityState: { get: () => "hidden" },
    webkitVisibilityState: { get: () => "hidden" },
    hasFocus: { value: () => false, writable: true },
  };

  function deliver() {
    // One frame for all of them, as the browser does; one that was cancelled meanwhile is gone.
    const due = [...held.keys()];
    native.requestAnimationFrame.call(globalThis, (now) => {
      for (const id of due) {
        const callback = held.get(id);
        held.delete(id);
        try {
          callback?.(now);
        } catch (error) {
          reportError(error);
        }
      }
    });
  }

  if (stays) Object.assign(globalThis, wrapped);

  return {
    hide() {
      if (hidden) return;
      hidden = true;
      if (!stays) Object.assign(globalThis, wrapped);
      for (const [name, how] of Object.entries(answers)) {
        Object.defineProperty(document, name, { configurable: true, ...how });
      }
      dispatchEvent(new Event("blur"));
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    },
    show() {
      if (!hidden) return;
      hidden = false;
      // cancelAnimationFrame stays wrapped: frames that were held may still be cancelled.
      if (!stays) {
        const { cancelAnimationFrame: _, ...rest } = native;
        Object.assign(globalThis, rest);
      }
      for (const name of Object.keys(answers)) Reflect.deleteProperty(document, name);
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
      dispatchEvent(new Event("focus"));
      deliver();
    },
  };
}
