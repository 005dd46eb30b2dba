/** @file Handing a file to the browser to keep. */

/**
 * @param {Blob} blob
 * @param {string} name
 */
export function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A name without what a file system takes for its own. @param {string} title */
export function fileNameOf(title) {
  const name = title.replace(/[\u0000-\u001f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, " ").trim();
  return Array.from(name).slice(0, 60).join("").replace(/^\.+|[. ]+$/g, "") || "conversation";
}
