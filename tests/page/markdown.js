// For test_markdown.py: what the page makes of a text, and what stands in it.

/** @type {any} */ (globalThis).markdown = import("/web/markdown/view.js").then(({ MarkdownView }) => {
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
  function different(all) {
    return all.flatMap(([text, cuts]) => {
      const whole = show([text]).innerHTML;
      const other = cuts.map((pieces) => show(pieces).innerHTML).find((html) => html !== whole);
      return other === undefined ? [] : [{ text, whole, other }];
    });
  }

  /** Elements that do more than show text, at any moment of any of the texts. */
  function notInert(all, elements) {
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
        look(element);
        for (const other of element.querySelectorAll(":not(a)")) other.click();
        element.remove();
      }
    }
    return wrong;
  }

  function isInert(element, elements) {
    const names = [...element.attributes].map(({ name }) => name);
    if (!element.matches(elements) || names.some((name) => /^(on.*|style|src|srcdoc)$/.test(name))) return false;
    if (element.localName !== "a") return true;
    return /^(https?|mailto):$/.test(element.protocol) && element.rel === "noopener noreferrer";
  }

  return { show, different, notInert };
});
