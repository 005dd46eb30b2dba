// For test_highlight.py: Markdown in a scroller of its own, and what is coloured in a document.

/** "kind text" of each token, in the text's order. */
globalThis.tokens = () =>
  [...document.querySelectorAll("code [class^=code-]")].map((one) => `${one.className.slice(5)} ${one.textContent}`);

/** Of each kind and of plain code: its colour, and the one behind it. */
globalThis.colours = (kinds) => {
  const context = document.createElement("canvas").getContext("2d");
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
  };
  const code = document.querySelector(".code code");
  const behind = rgba(getComputedStyle(code.closest(".code")).backgroundColor);
  const pair = (element) => {
    const { color, backgroundColor } = getComputedStyle(element);
    const own = rgba(backgroundColor);
    return [rgba(color), own[3] > 0 ? own : behind];
  };
  const one = (kind) => {
    const element = document.createElement("span");
    element.className = `code-${kind}`;
    code.append(element);
    return [kind, pair(element)];
  };
  return Object.fromEntries([["text", pair(code)], ...kinds.map(one)]);
};

/** An empty view, instead of the one before. */
globalThis.begin = async () => {
  const { MarkdownView } = await import("/web/markdown/view.js");
  const { codeHighlighted } = await import("/web/highlight/highlighter.js");
  globalThis.scroller?.remove();
  const scroller = document.createElement("main");
  const element = document.createElement("div");
  element.className = "markdown";
  scroller.append(element);
  document.body.append(scroller);
  const view = new MarkdownView(element);
  const show = (text) => (view.write(text), view.commit());
  const end = () => (view.end(), view.commit());
  Object.assign(globalThis, { scroller, element, show, end, codeHighlighted });
};
