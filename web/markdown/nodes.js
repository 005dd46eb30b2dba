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
 * @typedef {{ type: "reference", key: string, label: string, isImage: boolean, before: string, children: Inline[],
 *   after: string, depth: number, target?: Link | Note, view?: unknown }} Reference  shown as it is written, until its
 *   target is there; `label` is a note's
 * @typedef {Text | Break | Emphasis | Literal | Math | Link | Note | Reference} Inline
 */

export {};
