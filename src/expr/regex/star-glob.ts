/** Matches globs that have no signs but stars, in linear time and without an engine, which takes several times as long. */

import type { Regex } from './regex.ts'

/** A glob of one star, or two: the text before it, the stars, and the text after them. */
const aroundStars = /^([^*?[{\\!]*)(\*|\*\*(?!\/))([^*?[{\\]*)$/

/** Parts of texts with single stars, and parts that are `**`. Half a surrogate pair is left to the engine, which never splits a pair. */
const ofParts = /^(?!!)(?:(?:^|\/)(?:\*\*(?=\/|$)|(?:[^*/?[{\\\p{Cs}]|\*(?!\*))*))+$/u

/** `**` as a part: any number of parts. */
const anyParts = '**'
/** More than four parts behind a `**`: all of them may be tried at each part of a text. */
const tooManyTried = /\*\*(?:\/(?!\*\*)[^/]*){5}/

/** The longest text that is matched part by part: one of slashes takes some milliseconds. */
const maxUnits = 65_536

/** A part of a glob: the texts around its stars. */
type Part = readonly string[]

/** Compiles a glob to the test of a whole text; `undefined` for a glob that needs the engine. `engine`: makes the engine for a long text. */
export const compileStars = (glob: string, engine: () => Regex): Regex | undefined => {
  const [, before, stars, after] = aroundStars.exec(glob) ?? []
  if (before !== undefined && after !== undefined) return aroundOne(before, stars === '*', after)
  // At the end, `**` stands for one part or more.
  const written = glob.endsWith(anyParts) ? `${glob}/*` : glob
  if (!ofParts.test(written) || tooManyTried.test(written)) return undefined
  if (!glob.includes('*')) return { test: (text) => text === glob }
  const parts = written.split('/').map((part) => (part === anyParts ? anyParts : part.split('*')))
  let forLong: Regex | undefined
  return {
    test(text) {
      if (text.length <= maxUnits) return matchesParts(parts, text)
      forLong ??= engine()
      return forLong.test(text)
    },
  }
}

const aroundOne = (before: string, isWithinPart: boolean, after: string): Regex => ({
  test(text) {
    const end = text.length - after.length
    if (end < before.length || !text.startsWith(before) || !text.endsWith(after)) return false
    const slash = isWithinPart ? text.indexOf('/', before.length) : -1
    return slash < 0 || slash >= end
  },
})

/** Returns where the part of the text ends that begins at `from`. */
const endOf = (text: string, from: number): number => {
  const slash = text.indexOf('/', from)
  return slash < 0 ? text.length : slash
}

/** Tries the parts behind the last `**` at each part of the text, until they match. What is before it then matches already. */
const matchesParts = (parts: readonly (Part | typeof anyParts)[], text: string): boolean => {
  let next = 0
  let from = 0
  let tried = -1
  let triedFrom = 0
  while (from <= text.length) {
    const part = parts[next]
    if (part === anyParts) {
      tried = ++next
      triedFrom = from
      continue
    }
    const end = endOf(text, from)
    if (part !== undefined && matchesPart(part, text, from, end)) {
      next++
      from = end + 1
    } else if (tried < 0) return false
    else {
      next = tried
      triedFrom = from === triedFrom ? end + 1 : endOf(text, triedFrom) + 1
      from = triedFrom
    }
  }
  return next === parts.length
}

/** Whether a part matches the text from `from` to `end`. Each text between two stars is taken where it first stands. */
const matchesPart = (part: Part, text: string, from: number, end: number): boolean => {
  const first = part[0] as string
  if (!text.startsWith(first, from)) return false
  if (part.length === 1) return end - from === first.length
  const last = part[part.length - 1] as string
  const begin = from + first.length
  const stop = end - last.length
  if (begin > stop || !text.endsWith(last, end)) return false
  if (part.length === 2) return true
  // A search in the whole text would go on behind the part, and take quadratic time.
  const inside = text.slice(begin, stop)
  let at = 0
  for (let i = 1; i < part.length - 1; i++) {
    const between = part[i] as string
    const found = inside.indexOf(between, at)
    if (found < 0) return false
    at = found + between.length
  }
  return true
}
