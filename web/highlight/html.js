/** @file HTML with its scripts and styles, each read as what it is. */

import { settle, startState } from "./lines.js";

/** @import { Mode, Stream } from "./lines.js" */

/** `inner` is what is read until the tag it stands in ends. @typedef {{ html: any, inner: string | null, state: any }} State */

/**
 * @param {{ html: Mode }} markup
 * @param {{ javascript: Mode }} scripts
 * @param {{ css: Mode }} styles
 * @returns {Mode}
 */
export function htmlMode({ html }, { javascript }, { css }) {
  /** @type {Record<string, Mode>} */
  const inside = { script: javascript, style: css };
  /** @param {State} state */
  const innerMode = ({ inner }) => /** @type {Mode} */ (inside[inner ?? ""]);
  return {
    startState: () => ({ html: startState(html), inner: null, state: null }),
    token(stream, /** @type {State} */ state) {
      if (stream.sol()) for (const mode of Object.values(inside)) settle(mode, stream);
      const end = state.inner === null ? -1 : endOf(state.inner, stream);
      if (state.inner !== null && end !== stream.pos) {
        return before(end, stream, () => innerMode(state).token(stream, state.state));
      }
      state.inner = null;
      const name = state.html.tagName?.toLowerCase();
      const tag = html.token(stream, state.html);
      if (Object.hasOwn(inside, name) && stream.current() === ">") {
        state.inner = name;
        state.state = startState(innerMode(state));
      }
      return tag;
    },
  };
}

/**
 * Where the closing tag begins on this line.
 * @param {string} name
 * @param {Stream} stream
 */
function endOf(name, { string, pos }) {
  const at = string.slice(pos).toLowerCase().indexOf(`</${name}`);
  return at < 0 ? string.length : pos + at;
}

/**
 * Reads as if the line ended there.
 * @template T
 * @param {number} end
 * @param {Stream} stream
 * @param {() => T} read
 */
function before(end, stream, read) {
  const line = stream.string;
  stream.string = line.slice(0, end);
  try {
    return read();
  } finally {
    stream.string = line;
  }
}
