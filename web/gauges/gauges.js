/** @file The gauges' switch. Their code is fetched when they are first opened. */

/** @import { Panel } from "./panel.js" */

/** Means nothing to browsers, and an input method does not take it. */
const KEY = "F2";

/**
 * @param {object} parts
 * @param {HTMLElement} parts.container  the panel becomes its child
 * @param {HTMLButtonElement} parts.opener
 * @param {{ readonly busy: boolean }} parts.client  busy: an answer is being made
 */
export function installGauges({ container, opener, client }) {
  /** @type {Panel | null} */
  let panel = null;
  const toggle = async () => {
    const { Panel } = await import("./panel.js");
    if (panel) return panel.close();
    panel = new Panel(container, client, () => {
      panel = null;
      opener.setAttribute("aria-pressed", "false");
    });
    opener.setAttribute("aria-pressed", "true");
  };
  opener.addEventListener("click", toggle);
  document.addEventListener("keydown", (event) => {
    if (event.key !== KEY || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!event.repeat && !document.querySelector("dialog[open]")) void toggle();
  });
}
