/**
 * Finds the secrets that sign the answers to handshakes, and the schemes that have such a secret, too. Anybody may ask for such an answer,
 * and could send it as a signature of another scheme with the same secret. So the secret may serve no other scheme
 * (rules: Authentication 17).
 */

import type { Scheme } from './schemes/scheme.ts'

/** The secrets of a route, and the schemes that check its requests. `name`: the name of the route. */
export type RouteKeys = { readonly name: string; readonly secrets: readonly string[]; readonly schemes: readonly Scheme[] }

/** For each secret, the route and the scheme that sign answers to handshakes with that secret. */
export type ChallengeKeys = ReadonlyMap<string, { readonly route: string; readonly scheme: string }>

/**
 * Returns each secret that signs answers to handshakes, with the scheme and the route that sign with it. Where several schemes or routes
 * sign with one secret, only the first scheme of the last route is kept: that is enough to find another scheme with this secret.
 */
export const challengeKeys = (routes: Iterable<RouteKeys>): ChallengeKeys => {
  const keys = new Map<string, { readonly route: string; readonly scheme: string }>()
  for (const { name: route, secrets, schemes } of routes) {
    const answering = schemes.find(({ answersChallenges }) => answersChallenges)
    if (answering) for (const secret of secrets) if (secret !== '') keys.set(secret, { route, scheme: answering.name })
  }
  return keys
}

/**
 * Returns the first scheme of a route that would take the answer of another scheme for a signature, because both have the same secret;
 * `undefined` where there is none. `answering`: the scheme that signs the answer, and its route.
 */
export const sharedChallengeKey = (
  { secrets, schemes }: RouteKeys,
  keys: ChallengeKeys,
): { readonly scheme: string; readonly answering: { readonly route: string; readonly scheme: string } } | undefined => {
  if (keys.size === 0) return undefined
  for (const secret of secrets) {
    const answering = keys.get(secret)
    // A scheme with public keys, or with keys that it fetches, checks nothing with the secret.
    const checking = answering && schemes.find(({ name, keys: kind }) => name !== answering.scheme && (kind ?? 'secret') === 'secret')
    if (checking) return { scheme: checking.name, answering }
  }
  return undefined
}
