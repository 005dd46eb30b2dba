/**
 * The evidence run's probe, installed before the page's own scripts. It notes when numbered words
 * (audit/text.py) reach the document, in shadow roots too, and what the browser's own observers
 * tell. It asks for no frames and changes nothing, and is asleep until begin().
 */
(() => {
  const WORD = /(?<![A-Za-z])w(\d+)/g;
  const NUMBER = 12; // of what is before it, enough for one word
  const TAIL = 240; // enough for a few words at the end of what was added
  const OPTIONS = { subtree: true, childList: true, characterData: true };

  /** @type {any} */
  let record = null;
  /** @type {Set<Document | ShadowRoot>} */
  const roots = new Set([document]);

  const words = (/** @type {string} */ text) => {
    let most = -1;
    for (const [, number] of text.slice(-TAIL).matchAll(WORD)) most = Math.max(most, Number(number));
    return most;
  };

  /** The end of a node's text, without reading all of it. */
  const tail = (/** @type {Node} */ node) => {
    if (node.nodeType === Node.TEXT_NODE) return /** @type {Text} */ (node).data;
    let text = "";
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    /** @type {Node | null} */
    let last = node;
    while (last?.lastChild) last = last.lastChild;
    if (!last) return text;
    walker.currentNode = last;
    /** @type {Node | null} */
    let at = last;
    while (at && text.length < TAIL) {
      if (at.nodeType === Node.TEXT_NODE) text = /** @type {Text} */ (at).data.slice(-TAIL) + text;
      at = walker.previousNode();
    }
    return text;
  };

  /** The text before a node, in the same tree: where a word may have begun. */
  const before = (/** @type {Node} */ node) => {
    const walker = document.createTreeWalker(node.getRootNode(), NodeFilter.SHOW_TEXT);
    walker.currentNode = node;
    let text = "";
    while (text.length < NUMBER && walker.previousNode()) {
      text = /** @type {Text} */ (walker.currentNode).data.slice(-NUMBER) + text;
    }
    return text;
  };

  /** The highest word in a node that was added, or the one that its text ends or goes on with. */
  const wordIn = (/** @type {Node} */ node) => {
    const text = tail(node);
    const found = words(text);
    if (found >= 0 || !/^[w\d]+\s*$/.test(text)) return found;
    const whole = /(?<![A-Za-z])w(\d+)\s*$/.exec(before(node) + text);
    return whole ? Number(whole[1]) : -1;
  };

  const observer = new MutationObserver((mutations) => {
    if (!record) return;
    const now = performance.now();
    let most = record.most;
    let seen = false;
    for (const { type, target, addedNodes } of mutations) {
      if (type === "characterData") {
        const found = words(/** @type {Text} */ (target).data);
        seen ||= found >= 0;
        most = Math.max(most, found);
        continue;
      }
      for (const node of addedNodes) {
        const found = wordIn(node);
        seen ||= found >= 0;
        most = Math.max(most, found);
      }
    }
    record.mutations += mutations.length;
    if (seen) record.lastAt = now;
    if (most > record.most) {
      record.most = most;
      record.paints.push([now, most]);
    }
  });

  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (/** @type {ShadowRootInit} */ init) {
    const root = attachShadow.call(this, init);
    roots.add(root);
    if (record) observer.observe(root, OPTIONS);
    return root;
  };

  /** Shadow roots that the page's markup declared. */
  const findRoots = (/** @type {Document | ShadowRoot} */ root) => {
    for (const { shadowRoot } of root.querySelectorAll("*")) {
      if (!shadowRoot) continue;
      roots.add(shadowRoot);
      findRoots(shadowRoot);
    }
  };

  const observe = (/** @type {string} */ type, /** @type {(entry: any) => void} */ take, options = {}) =>
    new PerformanceObserver((list) => {
      if (record) for (const entry of list.getEntries()) take(entry);
    }).observe({ type, ...options });
  observe("longtask", (entry) => record.longTasks.push([entry.startTime, entry.duration]));
  observe("event", (entry) => record.inputs.push([entry.name, entry.startTime, entry.duration]), {
    durationThreshold: 16,
  });
  observe("long-animation-frame", (entry) =>
    record.longFrames.push({
      start: entry.startTime,
      duration: entry.duration,
      blocking: entry.blockingDuration,
      scripts: entry.scripts.map((/** @type {any} */ script) => ({
        invoker: script.invoker,
        duration: script.duration,
        forced: script.forcedStyleAndLayoutDuration,
        url: script.sourceURL,
        function: script.sourceFunctionName,
        at: script.sourceCharPosition,
      })),
    }),
  );

  /** @type {any} */ (globalThis).__pagesideProbe = {
    begin() {
      record = { most: -1, mutations: 0, lastAt: 0, paints: [], longTasks: [], longFrames: [], inputs: [] };
      findRoots(document);
      for (const root of roots) observer.observe(root, OPTIONS);
    },
    end() {
      const ended = record;
      observer.disconnect();
      record = null;
      return ended;
    },
  };
})();
