/**
 * Breaks images in Markdown and HTML, so that nobody who reads a text loads them. A stranger may have made the agent write an image whose
 * address sends what the agent knows to the stranger (rules: Outgoing texts 5). `![a](b)` becomes a link, which loads nothing until
 * somebody follows it.
 */

const image = /!(?=\[)|<(?=(?:img|image|picture|source|video|audio|svg|iframe|object|embed)\b)/gi

/** Breaks every image in a text by an invisible character. */
export const withoutImages = (text: string): string => text.replace(image, '$&\u200b')
