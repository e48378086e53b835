/** Text in XML 1.0. */

const entities: { readonly [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }
// What XML 1.0 has no way to write.
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** For attributes and contents. */
export const xml = (text: string): string => text.replace(unwritable, '\ufffd').replace(/[&<>"\n]/g, (char) => entities[char] ?? char)
