/** Finds the senders of a route: those that `verify` names, else those to which its event types and headers point. */

import type { RouteSource } from '../../config/config.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { inlineScheme, verifyNames } from '../../parts/written-names.ts'
import type { Catalogue } from '../compile.ts'
import { checkedWith } from '../route-schemes.ts'
import { fieldNames } from './filters/fields.ts'

type Route = Pick<RouteSource, 'spec'>
type Schemes = Pick<Catalogue, 'schemes' | 'namedSchemes'>

/** Whether a scheme's sender has a type, also where an action stands behind the type (`pull_request.opened`). */
const hasType = ({ events }: Scheme, name: string): boolean => {
  if (!events) return false
  const type = events.actionField === undefined ? name : name.replace(/\.\w+$/, '')
  return events.names.includes(name) || events.names.includes(type)
}

/** Returns the types that a route lists; a `*` is none. */
const listedTypes = ({ spec }: Route): readonly string[] => (spec.events ?? []).filter((name) => typeof name === 'string' && name !== '*')

/**
 * Returns the schemes of a route's senders. Without `verify`, they are those among the schemes of all routes that have each listed type, or
 * whose headers a filter reads; none where nothing points to one.
 */
export const likelySenders = (route: Route, catalogue: Schemes): readonly Scheme[] => {
  const names = verifyNames(route.spec)
  if (names.length > 0) return names.includes(inlineScheme) ? [] : checkedWith(route, catalogue)
  const headers = fieldNames(route.spec.filters).map((field) => field.toLowerCase())
  const byHeader = catalogue.schemes.filter(({ eventTypeHeaders = [] }) =>
    eventTypeHeaders.some((name) => headers.includes(`headers.${name}`)),
  )
  if (byHeader.length > 0) return byHeader
  const types = listedTypes(route)
  return types.length === 0 ? [] : catalogue.schemes.filter((scheme) => types.every((name) => hasType(scheme, name)))
}

/**
 * Returns the one sender whose events a route without `verify` lists although no scheme of all routes checks its signature; `undefined`
 * where the types fit no sender or several.
 */
export const unverifiedSender = (route: Route, catalogue: Schemes): Scheme | undefined => {
  const types = listedTypes(route)
  const areTelling = types.length > 0 && types.every((name) => /[./:]/.test(name))
  if (!areTelling || verifyNames(route.spec).length > 0 || likelySenders(route, catalogue).length > 0) return undefined
  const unchecked = [...new Set(catalogue.namedSchemes.values())].filter(({ events }) =>
    types.every((name) => events?.names.includes(name)),
  )
  return unchecked.length === 1 ? unchecked[0] : undefined
}
