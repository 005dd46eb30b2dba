/** What a text shows while it comes: never something that it does not become. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockReader } from "../../../web/markdown/reader.js";
import { block } from "./html.js";

/** The HTML after each character. */
function* shows(text) {
  const reader = new BlockReader();
  for (const char of text) {
    reader.write(char);
    yield block(reader.root);
  }
  reader.end();
  yield block(reader.root);
}

const NEVER = [
  ["Title\n- item one\n- item two", /<h2>/],
  ["Title\n-- said she", /<h2>|<hr|<ul>/],
  ["**bold** and `code`", /<hr|<ul>|<ol>/],
  ["* * *\n", /<ul>/],
  ["- - -\n", /<ul>/],
  ["#hashtag", /<h1>/],
  ["1. one", /<p>1/],
  ["1984 was a year", /<ol>/],
  ["```js\ncode\n```\n", /<p>|<code>`/],
  ["| a | b |\n|---|---|\n| 1 | 2 |\n", /<p>[^<]*\|[^<]*-/],
  ["> quoted", /<p>&gt;/],
  ["a <b>c</b> d", /<b>.*&lt;b&gt;/],
  ["[label]: /url\n\nText", /\[label\]|url/],
  ["[^1]: note\n\nText", /\[\^/],
  ["- [ ] task\n- [x] done", /\[ \]|\[x\]/],
  ["a&amp;b &copy;", /&amp;amp|&amp;a[^m]|&amp;c/],
  ["<https://a.example/b>", /href="https:\/\/a\.example\/b%3E/],
  ["hard  \nbreak", / <br/],
  ["## Title ##\n", /#/],
];

for (const [text, never] of NEVER) {
  test(JSON.stringify(text), () => {
    for (const html of shows(text)) assert.doesNotMatch(html, never);
  });
}

const ALWAYS = [
  ["half a **bold", "<p>half a **bold</p>\n"],
  ["half a `code", "<p>half a `code</p>\n"],
  ["half a [link](/x", "<p>half a [link](/x</p>\n"],
  ["a | table", "<p>a | table</p>\n"],
  ["half a $formula", "<p>half a $formula</p>\n"],
  ["tail <th", "<p>tail &lt;th</p>\n"],
  ["Text\n-", "<h2>Text</h2>\n"],
  ["a *b", "<p>a *b</p>\n"],
];

for (const [text, html] of ALWAYS) {
  test(`${JSON.stringify(text)} ends as it is`, () => {
    assert.equal([...shows(text)].at(-1), html);
  });
}

const OTHERS = [
  ["**中文。**中文", "<p><strong>中文。</strong>中文</p>\n"],
  ["这是**“重点”**的说明", "<p>这是<strong>“重点”</strong>的说明</p>\n"],
  ["温度 20~25°C，夜间 10~15°C", "<p>温度 20~25°C，夜间 10~15°C</p>\n"],
  ["~~gone~~ and ~gone~", "<p><del>gone</del> and <del>gone</del></p>\n"],
  ["F = (AB' + B'A)(C + D)", "<p>F = (AB' + B'A)(C + D)</p>\n"],
  ["$5 and $10", "<p>$5 and $10</p>\n"],
  ["$a^2 + b^2$", "<p><math>a^2 + b^2</math></p>\n"],
  ["$$\\frac{a_i}{b_i}$$", "<p><math>\\frac{a_i}{b_i}</math></p>\n"],
  ["北京 and 👩‍💻", "<p>北京 and 👩‍💻</p>\n"],
];

for (const [text, html] of OTHERS) {
  test(JSON.stringify(text), () => {
    assert.equal([...shows(text)].at(-1), html);
  });
}
