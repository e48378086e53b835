/** Dotted paths of payloads, and which of them somebody may have meant. */

import { isObject, type Json } from '../../../core/json.ts'
import { isOneSlip, nearest } from '../../../core/text.ts'
import { anyOf } from '../subject.ts'

const maxDepth = 12
const maxPaths = 20_000

/** Every path of these payloads that a placeholder can name; of a list the first item stands for all. */
export const pathsOf = (payloads: readonly Json[]): readonly string[] => {
  const paths = new Set<string>()
  const walk = (value: Json, above: string, depth: number): void => {
    const below: readonly (readonly [string, Json])[] = Array.isArray(value)
      ? value.slice(0, 1).map((item) => ['0', item])
      : isObject(value)
        ? Object.entries(value)
        : []
    for (const [key, item] of below) {
      if (paths.size >= maxPaths || depth >= maxDepth || !/^[\w$-]+$/.test(key)) continue
      const path = above === '' ? key : `${above}.${key}`
      paths.add(path)
      walk(item, path, depth + 1)
    }
  }
  for (const payload of payloads) walk(payload, '', 0)
  return [...paths]
}

export type Near = {
  /** Paths that differ by a slip: a letter, its case, the number of a list's item. */
  readonly slips: readonly string[]
  /** Those first, then paths that end alike, then others that look alike. */
  readonly all: readonly string[]
}

/** What to do about a path that no sample has. */
export const wayOut = ({ all }: Near): string =>
  all.length > 0
    ? `did you mean ${anyOf(all)}?`
    : 'headgate samples show <name> shows what a payload has; add one that has it: headgate samples add'

const most = 3

/** Known paths that somebody may have meant by one that is none. */
export const nearPaths = (path: string, known: readonly string[]): Near => {
  const parts = path.split('.')
  const sameLength = known.map((other) => other.split('.')).filter((other) => other.length === parts.length)
  const alike = (isLike: (a: string, b: string) => boolean): string[] => {
    const found = sameLength.filter((other) => parts.every((part, i) => isLike(part, other[i] ?? '')))
    return found.map((other) => other.join('.'))
  }
  const indexed = known.filter((other) => other !== path && withoutIndexes(other) === path)
  const ending = known.filter((other) => other.endsWith(`.${path}`)).sort((a, b) => a.length - b.length)
  const slips = [...new Set([...indexed, ...alike(isSlip)])].slice(0, most)
  const others = nearest(
    path,
    alike((a, b) => isSlip(a, b) || nearest(a, [b]).length > 0),
  )
  return { slips, all: [...new Set([...slips, ...ending, ...others])].slice(0, most) }
}

/** Whether a path names another item of a list than the samples have: how many there are differs. */
export const namesAnItem = (path: string, known: readonly string[]): boolean =>
  /(?:^|\.)\d+(?=\.|$)/.test(path) && known.includes(path.replace(/(^|\.)\d+(?=\.|$)/g, (_, dot: string) => `${dot}0`))

const withoutIndexes = (path: string): string => path.replace(/\.\d+(?=\.|$)/g, '')

/** Letter case, `_` and `-` aside; in longer words also by a letter. */
const isSlip = (a: string, b: string): boolean =>
  bare(a) === bare(b) || (a.length > 3 && b.length > 3 && !/^\d+$/.test(a) && isOneSlip(a.toLowerCase(), b.toLowerCase()))

const bare = (key: string): string => key.toLowerCase().replace(/[_-]/g, '')
