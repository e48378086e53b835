/**
 * Images in Markdown and HTML: whoever looks at a text loads them, from an address that may be a stranger's and carry off what the
 * agent knows (rules: Outgoing texts 5). What is left of `![a](b)` is a link, which nobody follows unasked.
 */

const image = /!(?=\[)|<(?=(?:img|image|picture|source|video|audio|svg|iframe|object|embed)\b)/gi

/** The text with every image broken by a character that cannot be seen. */
export const withoutImages = (text: string): string => text.replace(image, '$&\u200b')
