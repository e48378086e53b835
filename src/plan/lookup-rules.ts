/** Checks what a route reads of its lookups: only lookups that it has, and only after they were asked. */

import type { RouteSource } from '../config/config.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { ExactJson } from '../core/json.ts'
import { nearest, printable } from '../core/text.ts'
import { lookupReads } from '../parts/lookup-reads.ts'
import { problemAt } from './problem-at.ts'

/** Returns an error for each place that reads a lookup which the route does not have, or one that is not asked yet. */
export const checkLookups = (route: RouteSource): Diagnostic[] => {
  const { lookup, tests: _, description: __, ...reading } = route.spec
  if (lookup === undefined) return []
  const names = Object.keys(lookup)
  return lookupReads(reading as ExactJson).flatMap(({ name, at }) => {
    if (at[0] === 'rate_limit')
      return problemAt(route, 'WH249', at, 'the key of rate_limit is read before the lookups are asked', 'write a field of the payload')
    if (name === '' || names.includes(name)) return []
    const near = nearest(name, names)
    const help = near.length > 0 ? `did you mean lookup.${near[0]}?` : `its lookups are: ${names.join(', ')}`
    return {
      ...problemAt(route, 'WH249', at, `the route has no lookup "${printable(name, 60)}"`, help),
      suggest: near.map((each) => `lookup.${each}`),
    }
  })
}
