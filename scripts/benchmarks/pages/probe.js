/** @file Runs before the chat page's own scripts: notes its commits and its last change. Changes nothing. */

{
  const probe = { commits: [], lastChangeAt: 0, stopAt: 0 };
  globalThis.probe = probe;

  // Delivered once for all that one frame's callback changed.
  new MutationObserver((records) => {
    probe.lastChangeAt = performance.now();
    if (records.some(isText)) probe.commits.push(probe.lastChangeAt);
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });

  const isText = ({ type, target }) =>
    type === "characterData" && target.parentElement?.dataset.testid === "message-body";

  addEventListener(
    "click",
    (event) => {
      if (event.target.dataset?.testid === "stop") probe.stopAt = event.timeStamp;
    },
    true,
  );
}
