/** Guesses the secrets of a file that cannot be parsed, so that its lines can be shown. */

import { secretSettingWords, stars } from '../../core/secret-names.ts'
import { type Cover, maskScalar } from './find-secrets.ts'

/** Matches the end of a key that names a secret, with its colon and the blanks behind it. */
const secretKey = new RegExp(`(?:${secretSettingWords})[\\w.-]{0,64}["']?\\s{0,16}:\\s*`, 'gi')
/** Matches a line that is a member of a map. */
const mapLine = /^\s*["']?[\w.-]+["']?\s*:(\s|$)/
/** Matches a value whose end on its line is certain. */
const boundedValue = /"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*(?:[,}\]]|$))|'[^']*'(?=\s*(?:[,}\]]|$))|[\w.+/=:@%~${}-]+(?=\s*(?:,\s|[}\]]))/y

/**
 * The lines below a secret whose end was not found on its line. `indent`: the indent of the line with the secret's key. `mayBeMap`: the key
 * may be the name of a map of settings, such as the route `my-token-route:`. If so, the first line below is a member of a map, and the
 * lines are no secret. `headers:` is never such a name, because each header may be a secret.
 */
type Block = { readonly indent: number; readonly mayBeMap: boolean }

/**
 * Returns covers for everything that may be a secret, rather too many than too few. Nested values and values of several lines are covered,
 * too.
 */
export const guessedSecrets = (text: string): Cover[] => {
  const found: Cover[] = []
  let block: Block | undefined
  let at = 0
  for (const line of text.split('\n')) {
    const indent = line.search(/\S/)
    if (block && isInsideBlock(block, line, indent)) {
      block = { ...block, mayBeMap: false }
      found.push({ from: at + indent, to: at + line.length, shown: stars })
    } else if (indent >= 0) {
      const { covers, open } = secretsOnLine(line)
      found.push(...covers.map(({ from, to, shown }) => ({ from: at + from, to: at + to, shown })))
      block = open && { indent, mayBeMap: open.from >= line.trimEnd().length && !/headers/i.test(open.key) }
    }
    at += line.length + 1
  }
  return found
}

/**
 * Returns covers for the secrets that begin on a line, by offsets in the line. `open`: the key of the last secret where the end of its
 * value was not found on the line, and the offset of that value.
 */
const secretsOnLine = (
  line: string,
): { readonly covers: readonly Cover[]; readonly open?: { readonly key: string; readonly from: number } } => {
  const covers: Cover[] = []
  for (const { index, 0: key } of line.matchAll(secretKey)) {
    const from = index + key.length
    boundedValue.lastIndex = from
    const [value] = (/[{[,]/.test(line.slice(0, index)) && boundedValue.exec(line)) || []
    if (value === undefined) return { covers: [...covers, { from, to: line.length, shown: stars }], open: { key, from } }
    covers.push({ from, to: from + value.length, shown: maskScalar(value) })
  }
  return { covers }
}

/** Whether the line still belongs to the secret of the block. */
const isInsideBlock = (block: Block, line: string, indent: number): boolean => {
  if (block.mayBeMap && mapLine.test(line)) return false
  return indent > block.indent || (indent === block.indent && /^\s*[-\]}]/.test(line))
}
