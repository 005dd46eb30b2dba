/** @file Enter sends, unless an input method is using it. */

/**
 * While an input method composes, the keys are its own; Safari says so by 229 alone.
 * @param {KeyboardEvent} event
 */
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

/**
 * @param {HTMLTextAreaElement} prompt
 * @param {() => void} submit
 */
export function submitOnEnter(prompt, submit) {
  prompt.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    submit();
  });
}
