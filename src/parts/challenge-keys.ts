/** Keys that sign what a stranger asks: they may serve nothing else (rules: Authentication 17). */

import type { Scheme } from './schemes/scheme.ts'

/** A route, as far as its keys go: its secrets, and the schemes that check with them. */
export type Keyed = { readonly name: string; readonly secrets: readonly string[]; readonly schemes: readonly Scheme[] }

/** Which scheme, of which route, answers questions with a key. */
export type ChallengeKeys = ReadonlyMap<string, { readonly route: string; readonly scheme: string }>

/** The keys that a scheme of these routes signs answers with. */
export const challengeKeys = (routes: Iterable<Keyed>): ChallengeKeys => {
  const keys = new Map<string, { readonly route: string; readonly scheme: string }>()
  for (const { name: route, secrets, schemes } of routes) {
    const answering = schemes.find(({ answersChallenges }) => answersChallenges)
    if (answering) for (const secret of secrets) if (secret !== '') keys.set(secret, { route, scheme: answering.name })
  }
  return keys
}

/** The first of a route's schemes that would take as a signature what another scheme answers with the same key; `undefined` for none. */
export const sharedChallengeKey = (
  { secrets, schemes }: Keyed,
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
