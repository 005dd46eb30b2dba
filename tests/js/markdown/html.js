/** @file A tree of Markdown as HTML, as the specifications' examples have it: the page builds nodes instead. */

import {
  CodeBlock,
  HeadingBlock,
  HtmlBlock,
  ItemBlock,
  ListBlock,
  NoteBlock,
  ParagraphBlock,
} from "../../../web/markdown/blocks.js";
import { BlockReader } from "../../../web/markdown/reader.js";
import { RowBlock, TableBlock } from "../../../web/markdown/table.js";

/** @param {Iterable<string>} pieces */
export function htmlOf(pieces) {
  const reader = new BlockReader();
  for (const piece of pieces) reader.write(piece);
  reader.end();
  return block(reader.root);
}

const escaped = (text) =>
  text.replace(/[&<>"]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[char]);

const plain = (nodes) => nodes.map(plainly).join("");

function plainly(node) {
  if (node.target) return plainly(node.target);
  if (node.type === "reference") return node.before + plain(node.children) + node.after;
  if (node.children) return plain(node.children);
  return node.type === "break" ? "\n" : (node.text ?? "");
}

const TAGS = { emphasis: "em", strong: "strong", delete: "del" };

export function inline(nodes) {
  return nodes.map(one).join("");
}

function one(node) {
  const { type } = node;
  if (type === "text") return escaped(node.text);
  if (type === "break") return "<br />";
  if (type === "code") return `<code>${escaped(node.text)}</code>`;
  if (type === "html") return node.text;
  if (type === "math") return `<math>${escaped(node.text)}</math>`;
  if (type === "reference") return node.target ? one(node.target) : escaped(node.before) + inline(node.children) + escaped(node.after);
  if (type === "note") return `<sup>${escaped(node.label)}</sup>`;
  if (type in TAGS) return `<${TAGS[type]}>${inline(node.children)}</${TAGS[type]}>`;
  const title = node.title === null ? "" : ` title="${escaped(node.title)}"`;
  if (type === "image") return `<img src="${escaped(node.href)}" alt="${escaped(plain(node.children))}"${title} />`;
  return `<a href="${escaped(node.href)}"${title}>${inline(node.children)}</a>`;
}

const shown = (container) => container.children.filter((child) => !child.isHidden);
const blocks = (container, isTight) => shown(container).map((child) => block(child, isTight)).join("");

export function block(node, isTight = false) {
  if (node.isHidden) return "";
  if (node instanceof NoteBlock) return `<div><sup>${escaped(node.label)}</sup>\n${blocks(node)}</div>\n`;
  if (node instanceof ParagraphBlock) return isTight ? `${inline(node.reader.nodes)}\n` : `<p>${inline(node.reader.nodes)}</p>\n`;
  if (node instanceof HeadingBlock) return `<h${node.level}>${inline(node.reader.nodes)}</h${node.level}>\n`;
  if (node instanceof CodeBlock) return code(node);
  if (node instanceof HtmlBlock) return `${node.fresh}\n`;
  if (node instanceof ListBlock) return list(node);
  if (node instanceof ItemBlock) return item(node, isTight);
  if (node instanceof TableBlock) return table(node);
  if (node instanceof RowBlock) return `<tr>\n${blocks(node)}</tr>\n`;
  if (node.type === "cell") return cell(node);
  if (node.type === "quote") return `<blockquote>\n${blocks(node)}</blockquote>\n`;
  if (node.type === "rule") return "<hr />\n";
  return blocks(node);
}

function code(node) {
  const language = node.fence?.info.split(/\s/)[0];
  const name = language ? ` class="language-${escaped(language)}"` : "";
  return `<pre><code${name}>${escaped(node.fresh)}${node.lineCount ? "\n" : ""}</code></pre>\n`;
}

function list(node) {
  const tag = node.start === null ? "ul" : "ol";
  const start = node.start === null || node.start === 1 ? "" : ` start="${node.start}"`;
  return `<${tag}${start}>\n${blocks(node, !node.isLoose)}</${tag}>\n`;
}

function item(node, isTight) {
  const box = node.task === null ? "" : `<input ${node.task ? 'checked="" ' : ""}disabled="" type="checkbox"> `;
  let html = "";
  for (const child of shown(node)) {
    if (!(isTight && child instanceof ParagraphBlock) && !html.endsWith("\n")) html += "\n";
    html += block(child, isTight);
  }
  if (isTight && shown(node).at(-1) instanceof ParagraphBlock) html = html.replace(/\n$/, "");
  return `<li>${box}${html}</li>\n`;
}

function table(node) {
  const [head, ...rows] = node.children;
  const body = rows.length ? `<tbody>\n${rows.map((row) => block(row)).join("")}</tbody>\n` : "";
  return `<table>\n<thead>\n${block(head)}</thead>\n${body}</table>\n`;
}

function cell(node) {
  const tag = node.isHead ? "th" : "td";
  return `<${tag}${node.align ? ` align="${node.align}"` : ""}>${inline(node.reader.nodes)}</${tag}>\n`;
}
