// For test_markdown.py: what the page makes of a text, and what stands in it.

const MATHML = "http://www.w3.org/1998/Math/MathML";
const modules = ["markdown/view", "markdown/formulas", "highlight/highlighter"].map((name) => import(`/web/${name}.js`));
/** @type {any} */ (globalThis).markdown = Promise.all(modules).then(([{ MarkdownView }, formulas, highlighter]) => {
  /** Once all is as it will be. */
  async function settled() {
    await formulas.formulasDrawn();
    await highlighter.codeHighlighted();
  }

  /** Shown piece by piece, a commit after each. */
  function show(pieces, look = (_element) => undefined) {
    const element = document.createElement("div");
    element.className = "markdown";
    const view = new MarkdownView(element);
    for (const piece of pieces) {
      view.write(piece);
      view.commit();
      look(element);
    }
    view.end();
    view.commit();
    return element;
  }

  /** Texts that some way to cut them shows otherwise than the whole. */
  async function different(all) {
    const found = [];
    for (const [text, cuts] of all) {
      const elements = [[text], ...cuts].map((pieces) => show(pieces));
      await settled();
      const [whole, ...others] = elements.map((element) => element.innerHTML);
      const other = others.find((html) => html !== whole);
      if (other !== undefined) found.push({ text, whole, other });
    }
    return found;
  }

  /** Elements that do more than show text, at any moment of any of the texts. */
  async function notInert(all, elements) {
    const wrong = [];
    for (const [text, cuts] of all) {
      const look = (element) => {
        document.body.append(element);
        for (const one of element.querySelectorAll("*")) {
          if (!isInert(one, elements)) wrong.push([text, one.outerHTML]);
        }
      };
      for (const pieces of cuts) {
        const element = show(pieces, look);
        await settled();
        look(element);
        for (const other of element.querySelectorAll(":not(a)")) other.click?.(); // MathML cannot be clicked so
        element.remove();
      }
    }
    return wrong;
  }

  function isInert(element, elements) {
    const names = [...element.attributes].map(({ name }) => name);
    // MathML has sizes of its own, by the style attribute; what leads anywhere it must not have.
    if (element.namespaceURI === MATHML) return !names.some((name) => /^on|href|src|action/.test(name));
    if (!element.matches(elements) || names.some((name) => /^(on.*|style|src|srcdoc)$/.test(name))) return false;
    if (element.localName !== "a") return true;
    return /^(https?|mailto):$/.test(element.protocol) && element.rel === "noopener noreferrer";
  }

  /** What draws formulas is fetched with the first. */
  async function ready() {
    show(["$a$"]);
    await settled();
  }

  return { ready, show, settled, different, notInert };
});
