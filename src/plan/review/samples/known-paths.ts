/** Says whether samples have a value at a path, and which path of theirs is meant by a path of another tool. */

import { partsOf, pathOfParts } from '../../../expr/path-parts.ts'
import { hasFallback } from '../../../expr/template.ts'
import type { Surrounding } from '../../dialects.ts'
import type { Sampled } from '../sampled.ts'
import { namesFurtherItem } from './near-paths.ts'

/** Names that other tools give the payload, or the request with it. */
const wrappers: ReadonlySet<string> = new Set(
  'payload body json data event request req context github webhook trigger msg message input inputs item items steps hook root'.split(' '),
)

/** Asks the samples of a route. `of`: the events as filters see them, or as texts do. Without samples nothing is known. */
export const knownPaths = (sampled: Sampled | undefined, of: 'event' | 'textEvent'): Pick<Surrounding, 'proves' | 'unwraps'> => {
  if (!sampled || sampled.taken.length === 0) return { proves: (path) => (hasFallback(path) ? true : undefined), unwraps: () => undefined }
  let known: ReadonlySet<string> | undefined
  const has = (path: string): boolean => {
    known ??= new Set(sampled.paths(of))
    return known.has(path) || namesFurtherItem(path, [...known])
  }
  return {
    proves: (path) => hasFallback(path) || has(path),
    unwraps(path) {
      const parts = partsOf(path)
      if (has(parts[0] ?? '')) return undefined
      for (let from = 1; from < parts.length && wrappers.has((parts[from - 1] ?? '').replace(/^\$/, '')); from++) {
        const inner = pathOfParts(parts.slice(from))
        if (has(inner)) return inner
      }
      return undefined
    },
  }
}
