/**
 * Breaks images in Markdown and HTML, so that nobody who reads a text loads them. The address of an image may be a stranger's, and may
 * carry off what the agent knows (rules: Outgoing texts 5). `![a](b)` becomes a link, which loads nothing until somebody follows it.
 */

const image = /!(?=\[)|<(?=(?:img|image|picture|source|video|audio|svg|iframe|object|embed)\b)/gi

/** Breaks every image in a text by an invisible character. */
export const withoutImages = (text: string): string => text.replace(image, '$&\u200b')
