// The Markdown that chat pages write for themselves: regular expressions over the whole text.

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** @param {string} text */
export function escaped(text) {
  return text.replace(/[&<>"]/g, (c) => ENTITIES[/** @type {keyof typeof ENTITIES} */ (c)]);
}

/** @param {string} text a whole answer, or the beginning of one @returns {string} */
export function html(text) {
  return text
    .split(/(^```[^\n]*\n[\s\S]*?(?:^```[^\S\n]*$|(?![\s\S])))/m)
    .map((part) => (part.startsWith("```") ? fence(part) : prose(part)))
    .join("");
}

/** @param {string} part */
function fence(part) {
  const code = part.replace(/^```[^\n]*\n/, "").replace(/^`{1,3}\s*$(?![\s\S])/m, "");
  return `<pre><code>${escaped(code)}</code></pre>\n`;
}

/** @param {string} part */
function prose(part) {
  return part.split(/\n{2,}/).map(block).join("");
}

/** @param {string} source one block, without blank lines */
function block(source) {
  const text = source.replace(/^\n+|\n+$/g, "");
  if (!text.trim()) return "";
  const heading = /^(#{1,6}) (.*)/s.exec(text);
  if (heading) {
    const level = heading[1]?.length;
    return `<h${level}>${inline(heading[2] ?? "")}</h${level}>\n`;
  }
  if (/^[-*] /.test(text)) {
    const items = text.split(/^[-*] /m).slice(1);
    return `<ul>${items.map((item) => `<li>${inline(item)}</li>`).join("")}</ul>\n`;
  }
  return `<p>${inline(text)}</p>\n`;
}

/** @param {string} text */
function inline(text) {
  return escaped(text)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>");
}
