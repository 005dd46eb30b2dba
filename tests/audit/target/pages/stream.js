/**
 * @file The answers of the test pages: numbered words, a few at a time, as long as nobody stops them.
 *
 * Each answer's first word is its marker: "alpha1", "alpha2" and so on, in the order of prompts.
 * In the address: `cut=1,40` for the characters in a piece, of the first answer, the second, and
 * again; `wait=500` before the first piece; `endless`.
 */

let answers = 0;

/**
 * @param {(piece: string, soFar: string) => void} paint
 * @param {{count?: number, everyMs?: number}} [pace]
 * @returns {{stop(): void, done: Promise<void>}}
 */
function stream(paint, { count = 40, everyMs = 5 } = {}) {
  answers += 1;
  const words = Array.from({ length: count }, (_, n) => `w${n}`);
  const text = [`alpha${answers}`, ...words].join(" ");
  const cuts = (new URLSearchParams(location.search).get("cut") ?? "7").split(",").map(Number);
  const size = cuts[(answers - 1) % cuts.length];
  const endless = new URLSearchParams(location.search).has("endless");
  let at = 0;
  let stopped = false;
  let soFar = "";
  const done = new Promise((resolve) => {
    const step = () => {
      if (stopped || (at >= text.length && !endless)) return resolve(undefined);
      const piece = at < text.length ? text.slice(at, at + size) : " more";
      at += size;
      soFar += piece;
      paint(piece, soFar);
      setTimeout(step, everyMs);
    };
    setTimeout(step, Number(new URLSearchParams(location.search).get("wait")) || everyMs);
  });
  return { stop: () => (stopped = true), done };
}

/** @param {string} soFar  ten words a paragraph, without white space between them */
function paragraphs(soFar) {
  const words = soFar.split(" ");
  const html = [];
  for (let i = 0; i < words.length; i += 10) html.push(`<p>${words.slice(i, i + 10).join(" ")}</p>`);
  return html.join("");
}

globalThis.sent = [];
