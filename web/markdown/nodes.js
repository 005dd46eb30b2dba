/** @file What Markdown is made of. `view` is whatever the renderer keeps; `depth` is 1 where nothing
 inside has children. */

/**
 * @typedef {{ type: "text", text: string, isSealed?: boolean, view?: unknown }} Text
 * @typedef {{ type: "break", view?: unknown }} Break
 * @typedef {{ type: "emphasis" | "strong" | "delete", children: Inline[], depth?: number, view?: unknown }} Emphasis
 * @typedef {{ type: "code" | "html", text: string, view?: unknown }} Literal
 * @typedef {{ type: "math", text: string, isDisplay: boolean, view?: unknown }} Math
 * @typedef {{ type: "link" | "image", href: string, title: string | null, children: Inline[], depth?: number, view?: unknown }} Link
 * @typedef {{ type: "note", label: string, number: number, view?: unknown }} Note
 * @typedef {{ type: "reference", key: string, source: string, text: string, isImage: boolean, target?: Link | Note,
 *   view?: unknown }} Reference  shown as `source` until its target is there
 * @typedef {Text | Break | Emphasis | Literal | Math | Link | Note | Reference} Inline
 */

export {};
