/** Finds keys that sign answers to strangers' questions. Such keys may serve nothing else (rules: Authentication 17). */

import type { Scheme } from './schemes/scheme.ts'

/** The keys of a route: its secrets, and the schemes that check with them. */
export type RouteKeys = { readonly name: string; readonly secrets: readonly string[]; readonly schemes: readonly Scheme[] }

/** By key, the scheme and the route that answer questions with it. */
export type ChallengeKeys = ReadonlyMap<string, { readonly route: string; readonly scheme: string }>

/** Returns the keys that schemes of these routes sign answers with. */
export const challengeKeys = (routes: Iterable<RouteKeys>): ChallengeKeys => {
  const keys = new Map<string, { readonly route: string; readonly scheme: string }>()
  for (const { name: route, secrets, schemes } of routes) {
    const answering = schemes.find(({ answersChallenges }) => answersChallenges)
    if (answering) for (const secret of secrets) if (secret !== '') keys.set(secret, { route, scheme: answering.name })
  }
  return keys
}

/**
 * Returns the first of a route's schemes that would take another scheme's answer as a signature, because they share a key; `undefined`
 * where there is none.
 */
export const sharedChallengeKey = (
  { secrets, schemes }: RouteKeys,
  keys: ChallengeKeys,
): { readonly scheme: string; readonly asked: { readonly route: string; readonly scheme: string } } | undefined => {
  if (keys.size === 0) return undefined
  for (const secret of secrets) {
    const asked = keys.get(secret)
    const other = asked && schemes.find(({ name, keys: kind }) => name !== asked.scheme && (kind ?? 'secret') === 'secret')
    if (other) return { scheme: other.name, asked }
  }
  return undefined
}
