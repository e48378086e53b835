/** Replaces signs that a terminal without UTF-8 does not have. */

import { widthOf } from '../model/characters.ts'

const signs: { readonly [character: string]: string } = { '│': '|', '─': '-', '…': '~', '→': '>', '·': '.' }

const beyondAscii = /[^\0-\x7f]+/gu

/**
 * Returns a text in ASCII. A sign without a replacement becomes as many `?` as it has cells, because a terminal of another encoding takes
 * some bytes of UTF-8 for commands.
 */
export const inAscii = (text: string): string =>
  text.replace(beyondAscii, (part) => Array.from(part, (each) => signs[each] ?? '?'.repeat(widthOf(each))).join(''))
