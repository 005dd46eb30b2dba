/** @file PHP, which @codemirror/legacy-modes does not have: its words, read as a language like C. */

/** @import { Mode, Stream } from "./lines.js" */

const KEYWORDS =
  "abstract and array as break case catch class clone const continue declare default die do echo else elseif empty enddeclare " +
  "endfor endforeach endif endswitch endwhile enum exit extends final finally fn for foreach function global goto if implements " +
  "include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly " +
  "require require_once return static switch throw trait try unset use var while xor yield";
const TYPES = "bool callable float int iterable mixed never object parent self string void";
const ATOMS = "true false null TRUE FALSE NULL __CLASS__ __DIR__ __FILE__ __FUNCTION__ __LINE__ __METHOD__ __NAMESPACE__";

/** @param {{ clike(options: object): Mode }} module */
export function phpMode({ clike }) {
  return clike({
    name: "php",
    keywords: words(KEYWORDS),
    types: words(TYPES),
    atoms: words(ATOMS),
    defKeywords: words("class enum function interface namespace trait"),
    multiLineStrings: true,
    hooks: { $: variable, "#": comment, "<": opening, "?": closing },
  });
}

/** @param {string} list */
function words(list) {
  return Object.fromEntries(list.split(" ").map((word) => [word, true]));
}

/** @param {Stream} stream */
function variable(stream) {
  stream.eatWhile(/[\w$]/);
  return "variable";
}

/** `#[` begins an attribute. @param {Stream} stream */
function comment(stream) {
  if (stream.peek() === "[") return "meta";
  stream.skipToEnd();
  return "comment";
}

/** @param {Stream} stream */
function opening(stream) {
  return stream.match(/^\?(?:php|=)?/i) ? "meta" : false;
}

/** @param {Stream} stream */
function closing(stream) {
  return stream.eat(">") ? "meta" : false;
}
