/** Decodes UTF-8 with characters beyond ASCII, in blocks where the V8 of this Node decodes a long text slowly. */

import { isAscii } from 'node:buffer'
import { isFast, nodeMajor } from './forms.ts'

/** Before Node 24, V8 decodes UTF-8 slowly from the first character on that is not ASCII. Most bodies have a few such characters. */
const inBlocks = isFast('decode') && nodeMajor < 24

/** The bytes that are looked at together. Blocks of ASCII alone are decoded as Latin-1, which is the same and faster. */
const blockBytes = 1024

/** Returns the text of bytes that are known to be UTF-8. */
export const decodeWide = (bytes: Buffer): string => {
  if (!inBlocks) return bytes.toString('utf8')
  let text = ''
  let asciiFrom = 0
  for (let from = 0, to = 0; from < bytes.length; from = to) {
    to = startOfCharacter(bytes, from + blockBytes)
    if (isAscii(bytes.subarray(from, to))) continue
    text += bytes.toString('latin1', asciiFrom, from) + bytes.toString('utf8', from, to)
    asciiFrom = to
  }
  return text + bytes.toString('latin1', asciiFrom)
}

/** Returns the index at which the character that has a byte at `index` begins; the length where the bytes end before `index`. */
const startOfCharacter = (bytes: Buffer, index: number): number => {
  if (index >= bytes.length) return bytes.length
  let start = index
  while (((bytes[start] as number) & 0xc0) === 0x80) start--
  return start
}
