/** @file GFM's addresses without brackets: `https://…`, `www.…`, `name@host`. */

const SCHEMES = ["http", "https", "ftp"];
const WORD_END = /[A-Za-z]*$/;
const WWW = /(?:^|[\s(])www\./;
const LOCAL_END = /[A-Za-z0-9.+_-]+$/;
const HOST = /^@[A-Za-z0-9._-]*/;

export const Autolinks = {
  /**
   * Where a `www.` begins in the text, -1 if nowhere.
   * @param {string} text
   * @param {string} before  ends with the character before it
   */
  www(text, before) {
    const found = WWW.exec(text);
    if (!found) return -1;
    if (found.index === 0 && text.startsWith("www.")) {
      if (isBoundary(before)) return 0;
      const next = text.slice(1).search(/[\s(]www\./);
      return next < 0 ? -1 : next + 2;
    }
    return found.index + 1;
  },

  /**
   * How many characters at the end of the text may become one.
   * @param {string} text
   * @param {string} before
   */
  wwwBegun(text, before) {
    const end = /(?:^|[\s(])(w{1,3})$/.exec(text);
    const begun = end?.[1] ?? "";
    return begun.length < text.length || isBoundary(before) ? begun.length : 0;
  },

  /**
   * The length of the address that the text begins with, null if it is none.
   * @param {string} text
   * @param {boolean} ends  nothing follows it
   * @returns {number | "more" | null}
   */
  extent(text, ends) {
    const end = text.search(/[\s<]/);
    if (end < 0 && !ends) return "more";
    const whole = end < 0 ? text : text.slice(0, end);
    return isDomain(whole, false) ? trimmed(whole).length : null;
  },

  /**
   * @param {string} said  the text before the colon
   * @param {string} ahead  from the colon on
   * @param {boolean} ends
   * @returns {{ back: number, length: number, prefix: string } | "more" | null}
   */
  url(said, ahead, ends) {
    const scheme = WORD_END.exec(said)?.[0] ?? "";
    if (!SCHEMES.includes(scheme.toLowerCase())) return null;
    if (!ends && "://".startsWith(ahead) && ahead.length < 4) return "more";
    if (!ahead.startsWith("://")) return null;
    const end = ahead.search(/[\s<]/);
    if (end < 0 && !ends) return "more";
    const rest = (end < 0 ? ahead : ahead.slice(0, end)).slice(3);
    if (!/^[a-zA-Z0-9\u0080-\uffff]/.test(rest) || !isDomain(rest, true)) return null;
    return { back: scheme.length, length: 3 + trimmed(rest).length, prefix: "" };
  },

  /**
   * @param {string} said  the text before the @
   * @param {string} ahead  from the @ on
   * @param {boolean} ends
   * @returns {{ back: number, length: number, prefix: string } | "more" | null}
   */
  email(said, ahead, ends) {
    const local = LOCAL_END.exec(said)?.[0] ?? "";
    if (!local) return null;
    const host = HOST.exec(ahead)?.[0] ?? "";
    if (host.length === ahead.length && !ends) return "more";
    const name = host.replace(/\.+$/, "");
    if (ahead.charAt(host.length) === "@" || !/^@[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/.test(name)) return null;
    return /[-_]$/.test(name) ? null : { back: local.length, length: name.length, prefix: "mailto:" };
  },
};

/** @param {string} before */
const isBoundary = (before) => /(?:^|[\s*_~(])$/.test(before);

/**
 * @param {string} text  begins with the domain
 * @param {boolean} mayBeShort  without a dot
 */
function isDomain(text, mayBeShort) {
  const domain = /^(?:[^\s\p{P}$+<=>^`|~]|[_.-])*/u.exec(text)?.[0] ?? "";
  const parts = domain.split(".");
  if (parts.slice(-2).some((part) => part.includes("_"))) return false;
  return mayBeShort || (parts.length > 1 && domain !== "www.");
}

/** Without what ends the sentence and not the address. @param {string} address */
function trimmed(address) {
  let end = address.length;
  let open = count(address, "(");
  let closed = count(address, ")");
  while (end > 0) {
    const char = address.charAt(end - 1);
    if (char === ")") {
      if (closed <= open) break;
      closed -= 1;
      end -= 1;
    } else if (/[?!.,:*_~'"]/.test(char)) end -= 1;
    else if (char === ";") {
      const entity = /&[A-Za-z0-9]+;$/.exec(address.slice(0, end));
      end -= entity ? entity[0].length : 1;
    } else break;
  }
  return address.slice(0, end);
}

/**
 * @param {string} text
 * @param {string} char
 */
const count = (text, char) => text.split(char).length - 1;
