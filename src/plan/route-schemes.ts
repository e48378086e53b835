/** Finds the signature schemes of a route, and keys with which one scheme answers challenges and another scheme checks. */

import type { RouteSource } from '../config/config.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Route } from '../generated/config.ts'
import { type ChallengeKeys, challengeKeys, type RouteKeys, sharedChallengeKey } from '../parts/challenge-keys.ts'
import { describedScheme } from '../parts/schemes/described/described.ts'
import type { Scheme } from '../parts/schemes/scheme.ts'
import { inlineScheme, verifyNames } from '../parts/written-names.ts'
import { problemAt } from './problem-at.ts'

/** The schemes that any route may use, and those that `verify` can name. */
type SchemeSet = { readonly schemes: readonly Scheme[]; readonly namedSchemes: ReadonlyMap<string, Scheme> }

/**
 * Returns the schemes that check a route's requests: those that `verify` names or describes, or without `verify` the schemes that any route
 * may use.
 */
export const checkedWith = (route: Pick<RouteSource, 'spec'>, catalogue: SchemeSet): readonly Scheme[] => {
  const named = verifyNames(route.spec)
  const schemes = schemesFor(route, catalogue)
  return named.length === 0 ? schemes : schemes.filter(({ name }) => named.includes(name))
}

/** Returns the keys with which these routes answer challenges: questions of a sender that are answered with a signature. */
export const challengeKeysOf = (routes: Iterable<RouteSource>, catalogue: SchemeSet): ChallengeKeys =>
  challengeKeys([...routes].map((route) => withChallengeKeys(route, catalogue)))

const withChallengeKeys = (route: RouteSource, catalogue: SchemeSet): RouteKeys => ({
  name: route.name,
  secrets: route.secrets,
  schemes: checkedWith(route, catalogue),
})

/**
 * Reports a key of a route with which another scheme, of this or of another route, answers challenges. `keys`: the result of
 * `challengeKeysOf`.
 */
export const checkChallengeKeys = (route: RouteSource, catalogue: SchemeSet, keys: ChallengeKeys): Diagnostic[] => {
  const shared = keys.size === 0 ? undefined : sharedChallengeKey(withChallengeKeys(route, catalogue), keys)
  if (!shared) return []
  const { scheme, answering } = shared
  const whose = answering.route === route.name ? 'it' : `the route "${answering.route}"`
  const message = `${whose} answers questions of ${answering.scheme} with a key that ${scheme} checks here: anybody could ask for a signature`
  return [problemAt(route, 'WH318', [], message, `give ${answering.scheme} a key that no other scheme or route has`)]
}

/**
 * Returns the schemes that any route may use, and those that a route names or describes. All routes that name no further scheme share one
 * list.
 */
export const schemesFor = ({ spec }: Pick<RouteSource, 'spec'>, { schemes, namedSchemes }: SchemeSet): readonly Scheme[] => {
  const named = [...inlineOf(spec), ...verifyNames(spec).flatMap((name) => namedSchemes.get(name) ?? [])]
  return named.length === 0 ? schemes : [...schemes, ...named]
}

/** Returns the schemes that `verify` can name, and the scheme that `verify` itself describes, if it does. */
export const allSchemes = ({ schemes, namedSchemes }: SchemeSet, spec: Pick<Route, 'verify'> = {}): readonly Scheme[] => [
  ...schemes,
  ...namedSchemes.values(),
  ...inlineOf(spec),
]

const inlineOf = ({ verify }: Pick<Route, 'verify'>): readonly Scheme[] =>
  verify === undefined || typeof verify === 'string' || Array.isArray(verify) ? [] : [describedScheme(inlineScheme, verify)]
