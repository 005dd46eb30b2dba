/** @file The parsers, each as one that takes a text piece by piece, without a document to show it in. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Some would take hours: of their updates one in so many is counted, for all of these, and those before
 * it are one update that is not. What a parser keeps is the same after it.
 * @typedef {object} Parser
 * @property {{ blocks: number, block: number }} oneIn  for texts of many blocks, and of one
 * @property {(repository: string) => Promise<Reading>} make
 *
 * @typedef {object} Reading
 * @property {(text: string, from: number, to: number) => void} update  `from` to `to` is new
 * @property {() => number} headings  that it has seen: all must see the same
 */

/** @param {string} html */
const headingsIn = (html) => (html.match(/<h[1-6]>/g) ?? []).length;

/** @param {string} repository @returns {Promise<Reading>} */
async function pageside(repository) {
  const of = (name) => import(pathToFileURL(join(repository, "web", "markdown", name)).href);
  const [{ BlockReader }, { HeadingBlock, TextBlock }] = await Promise.all([of("reader.js"), of("blocks.js")]);
  const reader = new BlockReader();
  return {
    update: (text, from, to) => {
      reader.write(text.slice(from, to));
      // As web/markdown/view.js: what is finished and shown is forgotten.
      for (const block of reader.changed) {
        if (block instanceof TextBlock) block.forget();
        else if ("fresh" in block) block.fresh = "";
      }
      reader.changed.clear();
    },
    headings: () => reader.root.children.filter((block) => block instanceof HeadingBlock).length,
  };
}

/** @returns {Promise<Reading>} */
async function streamingMarkdown() {
  const smd = await import("streaming-markdown");
  let count = 0;
  const nothing = () => {};
  const add_token = (_, type) => (count += Number(type >= smd.HEADING_1 && type <= smd.HEADING_6));
  const state = smd.parser({ data: null, add_token, end_token: nothing, add_text: nothing, set_attr: nothing });
  return { update: (text, from, to) => smd.parser_write(state, text.slice(from, to)), headings: () => count };
}

/** @returns {Promise<Reading>} */
async function incremark() {
  const { createIncremarkParser } = await import("@incremark/core");
  const parser = createIncremarkParser({ gfm: true });
  return {
    update: (text, from, to) => void parser.append(text.slice(from, to)),
    headings: () => {
      parser.finalize();
      return parser.getCompletedBlocks().filter(({ node }) => node.type === "heading").length;
    },
  };
}

/** @returns {Promise<Reading>} */
async function lezer() {
  const [{ parser, GFM }, { TreeFragment }] = await Promise.all([import("@lezer/markdown"), import("@lezer/common")]);
  const markdown = parser.configure(GFM);
  let tree = markdown.parse("");
  let fragments = TreeFragment.addTree(tree);
  return {
    update: (text, from, to) => {
      fragments = TreeFragment.applyChanges(fragments, [{ fromA: from, toA: from, fromB: from, toB: to }]);
      tree = markdown.parse(text.slice(0, to), fragments);
      fragments = TreeFragment.addTree(tree, fragments);
    },
    headings: () => {
      let count = 0;
      tree.iterate({ enter: ({ name }) => void (count += Number(/^(ATX|Setext)Heading\d/.test(name))) });
      return count;
    },
  };
}

/** @returns {Promise<Reading>} */
async function markdownIt() {
  const { default: MarkdownIt } = await import("markdown-it");
  const markdown = new MarkdownIt();
  let tokens = [];
  return {
    update: (text, _, to) => void (tokens = markdown.parse(text.slice(0, to), {})),
    headings: () => tokens.filter(({ type }) => type === "heading_open").length,
  };
}

/** @returns {Promise<Reading>} */
async function micromarkWhole() {
  const read = await micromark();
  let html = "";
  return { update: (text, _, to) => void (html = read(text.slice(0, to))), headings: () => headingsIn(html) };
}

/**
 * What is done by hand: what stands before the last blank line outside of a fence is finished. Wrong for
 * lists with blank lines in them, and for what is referred to from afar; cheap where blocks are short.
 * @returns {Promise<Reading>}
 */
async function micromarkTail() {
  const read = await micromark();
  let [start, line, isFenced, finished, html] = [0, 0, false, 0, ""];
  return {
    update: (text, _, to) => {
      for (let end = text.indexOf("\n", line); end >= 0 && end < to; end = text.indexOf("\n", line)) {
        const said = text.slice(line, end);
        line = end + 1;
        if (/^ {0,3}(```|~~~)/.test(said)) isFenced = !isFenced;
        if (said.trim() !== "" || isFenced) continue;
        finished += headingsIn(read(text.slice(start, line)));
        start = line;
      }
      html = read(text.slice(start, to));
    },
    headings: () => finished + headingsIn(html),
  };
}

async function micromark() {
  const [{ micromark }, { gfm, gfmHtml }] = await Promise.all([import("micromark"), import("micromark-extension-gfm")]);
  const options = { extensions: [gfm()], htmlExtensions: [gfmHtml()] };
  return (text) => micromark(text, options);
}

/** @type {Record<string, Parser>} */
export const PARSERS = {
  Pageside: { oneIn: { blocks: 1, block: 1 }, make: pageside },
  "streaming-markdown": { oneIn: { blocks: 1, block: 1 }, make: streamingMarkdown },
  "@lezer/markdown": { oneIn: { blocks: 1, block: 10 }, make: lezer },
  "@incremark/core": { oneIn: { blocks: 1, block: 100 }, make: incremark },
  "micromark, since the last blank line": { oneIn: { blocks: 1, block: 100 }, make: micromarkTail },
  "markdown-it, the whole": { oneIn: { blocks: 10, block: 10 }, make: markdownIt },
  "micromark, the whole": { oneIn: { blocks: 100, block: 100 }, make: micromarkWhole },
};
