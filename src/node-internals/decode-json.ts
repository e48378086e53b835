/** Decodes a body strictly as UTF-8, and stays fast when only a few characters are not ASCII. */

import { isAscii, isUtf8, transcode } from 'node:buffer'
import { isFast } from './forms.ts'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const spellsOut = isFast('decode')
const backslash = 0x5c
/** The search for the next byte that is not ASCII checks this many bytes at a time. */
const blockBytes = 1024
/** The most runs of non-ASCII characters that are escaped. With more runs, decoding the whole text is faster. */
const maxRuns = 64
/** The most bytes of those runs. An escape takes up to three times as many bytes as its character. */
const maxWideBytes = 4096

/**
 * Returns the JSON text of a body, without a byte order mark; `undefined` when the bytes are not UTF-8. A single character that is not
 * ASCII makes V8 decode slowly and store two bytes for each character. In JSON, such characters stand only inside strings. So a few of them
 * are written as `\uXXXX`, and the text stays ASCII.
 */
export const decodeJson = (body: Buffer): string | undefined => {
  if (isAscii(body)) return body.toString('latin1')
  if (!isUtf8(body)) return undefined
  const bytes = body.subarray(0, 3).equals(byteOrderMark) ? body.subarray(3) : body
  if (!spellsOut) return bytes.toString('utf8')
  return spellOut(bytes) ?? transcode(bytes, 'utf8', 'utf16le').toString('utf16le')
}

const spellOut = (bytes: Buffer): string | undefined => {
  let text = ''
  let from = 0
  let wide = 0
  for (let runs = 0; ; runs++) {
    const start = nextWide(bytes, from)
    text += bytes.toString('latin1', from, start)
    if (start === bytes.length) return text
    // After a backslash, an escape would change the meaning: `"\é"` is not JSON, but `"\\u00e9"` is.
    if (runs === maxRuns || bytes[start - 1] === backslash) return undefined
    from = start + 1
    while (from < bytes.length && (bytes[from] as number) >= 0x80) from++
    wide += from - start
    if (wide > maxWideBytes) return undefined
    text += escapes(bytes.toString('utf8', start, from))
  }
}

/** Returns the index of the next byte that is not ASCII, or the length. */
const nextWide = (bytes: Buffer, from: number): number => {
  for (let block = from; block < bytes.length; block += blockBytes) {
    const end = Math.min(bytes.length, block + blockBytes)
    if (isAscii(bytes.subarray(block, end))) continue
    for (let at = block; at < end; at++) if ((bytes[at] as number) >= 0x80) return at
  }
  return bytes.length
}

const escapes = (text: string): string => {
  let out = ''
  for (let i = 0; i < text.length; i++) out += `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`
  return out
}
