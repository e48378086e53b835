/** Cutting and showing text that came from strangers. */

const isLeadSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** The first `limit` UTF-16 units of a text, one fewer where the cut would split a surrogate pair (rules: Templates 4). */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  return text.slice(0, limit > 0 && isLeadSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit)
}

/** The start of a text that is too long, without the word that the limit cuts: half of a secret would not be found and taken out. */
export const excerpt = (text: string, limit: number): string =>
  text.length <= limit ? text : `${cut(text, limit).replace(/[!-~]+$/, '')}…`

const maxNames = 20

/** Names as one text, the first 20 of them. */
export const someOf = (names: readonly string[]): string => {
  const more = names.length - maxNames
  return names.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

// Everything a terminal could act on: C0 and C1 controls, line separators, bidirectional and invisible format characters.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** One line of text that is safe on a terminal: controls become `\u{…}` escapes. */
export const printable = (text: string, limit = 1024): string =>
  cut(text, limit).replace(unsafe, (char) =>
    char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\u{${(char.codePointAt(0) as number).toString(16)}}`,
  )

/** Several lines of text that are safe on a terminal, whole. */
export const printableLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => printable(line, line.length))
    .join('\n')

/** The same JSON, safe on a terminal: `JSON.stringify` leaves what stands above U+007F as it is, and here it becomes `\uXXXX`. Line feeds stay. */
export const visibleJson = (json: string): string => json.replace(unsafe, (char) => (char === '\n' ? char : escaped(char)))

const escaped = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')

/** The edit distance of two short words, for did-you-mean. Two neighbours that changed places are one edit. */
const distance = (a: string, b: string): number => {
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

/** The known words nearest to a mistyped one, best first; none when nothing is near. */
export const nearest = (word: string, known: Iterable<string>): string[] => {
  const reach = Math.max(1, Math.floor(word.length / 3))
  const lower = word.slice(0, 64).toLowerCase()
  return [...known]
    .map((name) => ({ name, far: distance(lower, name.slice(0, 64).toLowerCase()) }))
    .filter(({ far }) => far <= reach)
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** One letter changed, too many, or missing, or two neighbours swapped. */
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
