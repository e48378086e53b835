/** Masks the lines of a YAML or JSON file: stars replace values of keys that name a secret, logins and secret parameters in addresses. */

import { parseYaml } from '../../config/yaml/source.ts'
import { replaceSecretParameters, stars } from '../../core/secret-names.ts'
import { type Cover, secretCovers, type TextKind } from './find-secrets.ts'
import { guessedSecrets } from './guess-secrets.ts'

export type MaskedLine = {
  readonly text: string
  /** Returns the column of the masked line for a column of the original line; both are 1-based. */
  readonly column: (before: number) => number
}

/** Matches a user name and password before the host of an address. */
const loginForm = /(?<=\/\/)[^\s/?#"']+(?=@)/g

/** Returns a masked line for each line of the text. */
export const maskLines = (text: string): MaskedLine[] => {
  const covers = coversOf(text)
  let at = 0
  let next = 0
  return text.split('\n').map((raw) => {
    const line = raw.replace(/\r$/, '')
    const mine: Cover[] = []
    // A cover of several lines is cut into a part for each line, and each part shows stars. A cover within one line shows its own text.
    for (let i = next; (covers[i]?.from ?? Number.POSITIVE_INFINITY) < at + line.length; i++) {
      const { from, to, shown } = covers[i] as Cover
      if (to <= at) next = i + 1
      const start = Math.max(from - at, line.search(/\S|$/))
      const end = Math.min(to - at, line.length)
      if (start < end) mine.push({ from: start, to: end, shown: from >= at && to <= at + line.length ? shown : stars })
    }
    at += raw.length + 1
    return coverLine(line, mine)
  })
}

/** Returns the covers of a text: of values that are secrets, and of logins and secret parameters within values, in order. */
export const coversOf = (text: string, kind: TextKind = 'file'): readonly Cover[] =>
  withoutOverlap([...(secretCovers(text, kind) ?? uncertainSecrets(text, kind)), ...loginsIn(text), ...parametersIn(text)])

/** Returns the covers of a text that cannot be parsed: of what may be a secret, and of the secrets in the part that can be parsed. */
const uncertainSecrets = (text: string, kind: TextKind): readonly Cover[] => {
  const { rest } = parseYaml('', text)
  return [...guessedSecrets(text), ...((rest && secretCovers(rest.text, kind)) ?? [])]
}

/** Sorts covers by their start. Two covers that overlap become one; a cover that lies within another is dropped. */
const withoutOverlap = (covers: readonly Cover[]): Cover[] => {
  const kept: Cover[] = []
  for (const cover of [...covers].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = kept.at(-1)
    if (!last || cover.from >= last.to) kept.push(cover)
    else if (cover.to > last.to) kept[kept.length - 1] = { from: last.from, to: cover.to, shown: stars }
  }
  return kept
}

/**
 * Makes the masked line. A line may have thousands of covers, and thousands of findings may ask for its columns, so `column` must be fast.
 */
const coverLine = (line: string, covers: readonly Cover[]): MaskedLine => {
  const pieces: string[] = []
  /** For each cover: the number of columns by which the masked text before the end of the cover is longer than the original text. */
  const shifts: number[] = []
  let at = 0
  let shift = 0
  for (const { from, to, shown } of covers) {
    pieces.push(line.slice(at, from), shown)
    at = to
    shift += shown.length - (to - from)
    shifts.push(shift)
  }
  return {
    text: pieces.join('') + line.slice(at),
    column: (before) => {
      const passed = countCoversBefore(covers, before)
      const behind = before + (shifts[passed - 1] ?? 0)
      const next = covers[passed]
      return next && before - 1 > next.from ? next.from + 1 + (shifts[passed - 1] ?? 0) : behind
    },
  }
}

/** Returns the number of covers that end before a column, by a binary search. The covers are in order. */
const countCoversBefore = (covers: readonly Cover[], column: number): number => {
  let low = 0
  let high = covers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((covers[middle]?.to ?? 0) <= column - 1) low = middle + 1
    else high = middle
  }
  return low
}

const loginsIn = (text: string): Cover[] =>
  [...text.matchAll(loginForm)].map(({ index, 0: all }) => ({ from: index, to: index + all.length, shown: stars }))

const parametersIn = (text: string): Cover[] => {
  const found: Cover[] = []
  // Only the offsets of the parameters are needed, so each value replaces itself.
  replaceSecretParameters(text, (value, at) => {
    found.push({ from: at, to: at + value.length, shown: stars })
    return value
  })
  return found
}
