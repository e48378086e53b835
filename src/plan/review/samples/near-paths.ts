/** Lists the dotted paths of payloads, and finds the paths that the author of a wrong path may have meant. */

import { isObject, type Json } from '../../../core/json.ts'
import { isOneSlip, nearest } from '../../../core/text.ts'
import { partsOf, pathBelow, pathOfParts } from '../../../expr/path-parts.ts'
import type { Sampled } from '../sampled.ts'
import { eitherOf } from '../subject.ts'

const maxDepth = 12
const maxPaths = 20_000

/**
 * Returns the paths of these payloads whose keys have only ASCII letters, digits, and the signs `_ $ - . / :`: at most 20,000, and none of more than
 * twelve keys. In a list, the first item stands for all items.
 */
export const pathsOf = (payloads: readonly Json[]): readonly string[] => {
  const paths = new Set<string>()
  const walk = (value: Json, above: string, depth: number): void => {
    const below: readonly (readonly [string, Json])[] = Array.isArray(value)
      ? value.slice(0, 1).map((item) => ['0', item])
      : isObject(value)
        ? Object.entries(value)
        : []
    for (const [key, item] of below) {
      if (paths.size >= maxPaths || depth >= maxDepth || !/^[\w$./:-]+$/.test(key)) continue
      const path = pathBelow(above, key)
      paths.add(path)
      walk(item, path, depth + 1)
    }
  }
  for (const payload of payloads) walk(payload, '', 0)
  return [...paths]
}

/** The known paths that are near to a wrong path, at most three in each list. */
export type NearPaths = {
  /** Paths that differ from the wrong path by a slip: one letter, letter case, `_` or `-`, or a missing index. */
  readonly slips: readonly string[]
  /** The slips first, then paths with an equal end, then paths that look alike. */
  readonly all: readonly string[]
  /**
   * The one known path whose keys are those of the wrong path but for slips of spelling. Writing it instead keeps the meaning; a path with
   * another index or map might not.
   */
  readonly same?: string
}

/** Returns the way out for a path that no sample has. */
export const nearPathHelp = ({ all }: NearPaths): string =>
  all.length > 0
    ? `did you mean ${eitherOf(all)}?`
    : 'headgate samples show <name> shows what a payload has; add one that has it: headgate samples add'

const maxNear = 3

/** Finds the known paths that the author may have meant by `path`, which is not among `knownPaths`. */
export const nearPaths = (path: string, knownPaths: readonly string[]): NearPaths => {
  const parts = partsOf(path)
  const sameLength = knownPaths.map(partsOf).filter((other) => other.length === parts.length)
  const alike = (isLike: (a: string, b: string) => boolean): string[] => {
    const found = sameLength.filter((other) => parts.every((part, i) => isLike(part, other[i] ?? '')))
    return found.map(pathOfParts)
  }
  const indexed = knownPaths.filter((other) => other !== path && withoutIndexes(other) === path)
  const ending = knownPaths.filter((other) => other.endsWith(`.${path}`)).sort((a, b) => a.length - b.length)
  const spelled = alike(isSlip)
  const slips = [...new Set([...indexed, ...spelled])].slice(0, maxNear)
  const [same] = slips.length === 1 ? spelled : []
  const others = nearest(
    path,
    alike((a, b) => isSlip(a, b) || nearest(a, [b]).length > 0),
  )
  const all = [...new Set([...slips, ...ending, ...others])].slice(0, maxNear)
  return { slips, all, ...(same === undefined ? {} : { same }) }
}

/** Whether a path names a further item of a list that the samples have: another event may have more items. */
export const namesFurtherItem = (path: string, known: readonly string[]): boolean =>
  /(?:^|\.)\d+(?=\.|$)/.test(path) && known.includes(path.replace(/(^|\.)\d+(?=\.|$)/g, (_, dot: string) => `${dot}0`))

const withoutIndexes = (path: string): string => path.replace(/\.\d+(?=\.|$)/g, '')

/** Whether two keys differ only in letter case, `_` and `-`, or in one letter of a longer word. */
const isSlip = (a: string, b: string): boolean =>
  looseKey(a) === looseKey(b) || (a.length > 3 && b.length > 3 && !/^\d+$/.test(a) && isOneSlip(a.toLowerCase(), b.toLowerCase()))

const looseKey = (key: string): string => key.toLowerCase().replace(/[_-]/g, '')

/** Finds the known fields that the author may have meant by `field`, as a condition or a key names it. */
export const nearFields = (field: string, sampled: Sampled, of: 'event' | 'textEvent' = 'event'): NearPaths => {
  const [, prefix = '', path = ''] = /^(headers\.|payload\.)?(.*)$/s.exec(field) ?? []
  const known = prefix === 'headers.' ? [...new Set(sampled.taken.flatMap(({ event }) => Object.keys(event.headers)))] : sampled.paths(of)
  const near = nearPaths(path, known)
  return {
    slips: near.slips.map((each) => prefix + each),
    all: near.all.map((each) => prefix + each),
    ...(near.same === undefined ? {} : { same: prefix + near.same }),
  }
}
