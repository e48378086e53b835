/** Cuts texts, makes text of strangers safe to show on a terminal, and finds words that are near to a mistyped word. */

/** Quotes a word for a POSIX shell, in the commands that hints and messages give to a user. */
export const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

const isLeadSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Returns the first `limit` UTF-16 units of a text, one fewer where the cut would split a surrogate pair (rules: Templates 4). */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  return text.slice(0, limit > 0 && isLeadSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit)
}

/**
 * Returns a text of at most `limit` UTF-16 units as it is, and the start of a longer text with an ellipsis. The word that the limit cuts is
 * left out, because it may be a secret, and a redactor does not find half of a secret.
 */
export const excerpt = (text: string, limit: number): string =>
  text.length <= limit ? text : `${cut(text, limit).replace(/[!-~]+$/, '')}…`

const maxNames = 20

/** Joins names with commas: the first 20 names, then how many more there are. */
export const someOf = (names: readonly string[]): string => {
  const more = names.length - maxNames
  return names.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

// Everything that a terminal could act on: C0 and C1 controls, line separators, bidirectional and invisible format characters.
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Returns the first `limit` UTF-16 units of a text as one line that is safe on a terminal: line ends, controls and invisible format
 * characters become escapes (`\n`, `\u{…}`).
 */
export const printable = (text: string, limit = 1024): string =>
  cut(text, limit).replace(unsafeCharacters, (char) =>
    char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\u{${(char.codePointAt(0) as number).toString(16)}}`,
  )

/** Returns all lines of a text, safe on a terminal. */
export const printableLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => printable(line, line.length))
    .join('\n')

/**
 * Returns JSON of the same value, safe on a terminal. `JSON.stringify` leaves controls from U+007F on, line separators and invisible format
 * characters as they are; here they become `\uXXXX`. Line feeds stay.
 */
export const visibleJson = (json: string): string => json.replace(unsafeCharacters, (char) => (char === '\n' ? char : unicodeEscapes(char)))

const unicodeEscapes = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')

/** Returns the edit distance of two short words, for suggestions. A swap of two neighbours is one edit. */
const editDistance = (a: string, b: string): number => {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? (before[j - 2] as number) + 1 : change
      next.push(Math.min(change, swap, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] as number
}

/** Returns up to three known words that are nearest to a mistyped word, best first; empty when no word is near. */
export const nearest = (word: string, known: Iterable<string>): string[] => {
  const reach = Math.max(1, Math.floor(word.length / 3))
  const lower = word.slice(0, 64).toLowerCase()
  return [...known]
    .map((name) => ({ name, far: editDistance(lower, name.slice(0, 64).toLowerCase()) }))
    .filter(({ far }) => far <= reach)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** Whether two words differ by one slip at most: a letter changed, too many or missing, or two neighbours swapped. */
export const isOneSlip = (a: string, b: string): boolean => {
  let from = 0
  while (from < a.length && a[from] === b[from]) from++
  const [restA, restB] = [a.slice(from), b.slice(from)]
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  )
}
