/** Guesses where secrets are in a file that cannot be parsed, so that its lines can be shown. */

import { secretSettingWords } from '../../core/secrets/secret-names.ts'
import { type Cover, shownScalar, stars } from './find-secrets.ts'

/** The end of a key that names a secret, with its colon and the blanks after it. */
const secretKey = new RegExp(`(?:${secretSettingWords})[\\w.-]{0,64}["']?\\s{0,16}:\\s*`, 'gi')
/** A line of a map. Below a key like `my-token-route:` there are settings, not a secret; below `headers:` each value may be a secret. */
const mapLine = /^\s*["']?[\w.-]+["']?\s*:(\s|$)/
/** A value whose end is beyond doubt. */
const bounded = /"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*(?:[,}\]]|$))|'[^']*'(?=\s*(?:[,}\]]|$))|[\w.+/=:@%~${}-]+(?=\s*(?:,\s|[}\]]))/y

type Block = { readonly indent: number; readonly mayBeMap: boolean }

/** Covers rather too much than too little: nested values and values of several lines too. */
export const guessedSecrets = (text: string): Cover[] => {
  const found: Cover[] = []
  let block: Block | undefined
  let at = 0
  for (const line of text.split('\n')) {
    const indent = line.search(/\S/)
    if (block && isInside(block, line, indent)) {
      block = { ...block, mayBeMap: false }
      found.push({ from: at + indent, to: at + line.length, shown: stars })
    } else if (indent >= 0) {
      const { covers, open } = secretsOf(line)
      found.push(...covers.map(({ from, to, shown }) => ({ from: at + from, to: at + to, shown })))
      block = open && { indent, mayBeMap: open.from >= line.trimEnd().length && !/headers/i.test(open.key) }
    }
    at += line.length + 1
  }
  return found
}

/** The secrets that begin on a line. `open` is the key of one whose end cannot be found. */
const secretsOf = (
  line: string,
): { readonly covers: readonly Cover[]; readonly open?: { readonly key: string; readonly from: number } } => {
  const covers: Cover[] = []
  for (const { index, 0: key } of line.matchAll(secretKey)) {
    const from = index + key.length
    bounded.lastIndex = from
    const [value] = (/[{[,]/.test(line.slice(0, index)) && bounded.exec(line)) || []
    if (value === undefined) return { covers: [...covers, { from, to: line.length, shown: stars }], open: { key, from } }
    covers.push({ from, to: from + value.length, shown: shownScalar(value) })
  }
  return { covers }
}

const isInside = (block: Block, line: string, indent: number): boolean => {
  if (block.mayBeMap && mapLine.test(line)) return false
  return indent > block.indent || (indent === block.indent && /^\s*[-\]}]/.test(line))
}
