/** Writes text in XML 1.0. */

const entities: { readonly [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }
// Characters that XML 1.0 cannot express.
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Escapes a text for attributes and contents. */
export const xml = (text: string): string => text.replace(unwritable, '\ufffd').replace(/[&<>"\n]/g, (char) => entities[char] ?? char)
