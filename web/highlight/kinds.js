/** @file The few kinds of tokens that have a colour of their own. */

/** As highlight.css names them: "code-comment". */
export const KINDS = ["comment", "string", "number", "keyword", "name", "type", "meta", "inserted", "deleted"];

/** What modes call their tokens. Variables, operators and brackets are text like any other. @type {Record<string, string>} */
const NAMES = {
  comment: "comment",
  string: "string regexp quote character url",
  number: "number atom bool null unit",
  keyword: "keyword controlKeyword modifier self",
  name: "def definition function name macroName labelName className header heading",
  type: "type typeName tag tagName builtin qualifier standard",
  meta: "meta attribute attributeName annotation processingInstruction",
  inserted: "inserted",
  deleted: "deleted",
};

const KIND_OF = new Map(KINDS.flatMap((kind, at) => (NAMES[kind] ?? "").split(" ").map((name) => [name, at])));

/** What has been looked up: modes have a few dozen tags between them. @type {Map<string, number>} */
const known = new Map();

/**
 * The kind of a token, as a place in KINDS.
 * @param {string | null | undefined} tag  "string", "variableName.definition", "error inserted"
 * @returns {number}  -1: none
 */
export function kindOf(tag) {
  if (!tag) return -1;
  const kind = known.get(tag) ?? lookUp(tag);
  known.set(tag, kind);
  return kind;
}

/** The last part that says something: "string property" is a key. @param {string} tag */
function lookUp(tag) {
  if (tag === "string property") return KINDS.indexOf("name");
  const kinds = tag.split(/[ .]/).map((part) => KIND_OF.get(part));
  return kinds.findLast((kind) => kind !== undefined) ?? -1;
}
