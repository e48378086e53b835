/**
 * Keeps the access tokens of platforms until shortly before they expire. Sendings that need a new token at the same time wait for one
 * fetch. Each credential has tokens of its own.
 */

import { createHash } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import type { Json } from '../../../core/json.ts'
import { createRedactor } from '../../../secrets/redact.ts'
import type { Keep, Sent } from '../target.ts'

/** The result of a fetch of a token. `lifeMs`: for how long the token is valid. */
export type TokenOrFailure = { readonly token: string; readonly lifeMs: number } | Sent

/** Where a token comes from, and whose it is. */
export type TokenSource = {
  /** What the token belongs to: the address that issues it, and the credentials. */
  readonly identity: readonly (string | undefined)[]
  readonly clock: Clock
  readonly keep: Keep
  /** Gets a new token. A fetch posts no message, so its failure may say `repeatable`. */
  readonly fetchToken: () => Promise<TokenOrFailure>
}

/** The result of a call with a token. `stale`: the failure of a call whose token the API no longer accepts. A new token may help. */
export type CallWithToken = Sent | { readonly stale: Sent }

/** `until`: the monotonic time from which the token is no longer used. */
type KeptToken = { readonly token: string; readonly until: number }

const maxKept = 200
const longestMarginMs = 180_000

/** The tokens, and the fetches that have no answer yet. The keys of both maps are digests, so that no credential is kept here. */
type Tokens = { readonly kept: Map<string, KeptToken>; readonly fetching: Map<string, Promise<TokenOrFailure>> }

const createTokens = (): Tokens => ({ kept: new Map(), fetching: new Map() })

/**
 * Reads a token from the fields of an API's answer; `undefined` when the answer has no token. A token whose lifetime (`seconds`) is
 * unclear gets the lifetime 0, so only the sendings that waited for the token use it.
 */
export const issuedToken = (token: Json | undefined, seconds: Json | undefined): TokenOrFailure | undefined => {
  if (typeof token !== 'string' || token === '') return undefined
  const lifeMs = Number(seconds) * 1000
  return { token, lifeMs: lifeMs > 0 && Number.isFinite(lifeMs) ? lifeMs : 0 }
}

/**
 * Calls `use` with a token. When the API refuses the token, the token is dropped, and `use` is called once more with a new token. Without a
 * token, resolves to the failure of the fetch.
 */
export const withToken = async (source: TokenSource, use: (token: string) => Promise<CallWithToken>): Promise<Sent> => {
  const key = createHash('sha256').update(JSON.stringify(source.identity)).digest('base64')
  const first = await callOnce(key, source, use)
  if (!('stale' in first)) return first
  const second = await callOnce(key, source, use)
  return 'stale' in second ? second.stale : second
}

/** Calls `use` once, with the kept token or a new one. A token that the API refuses is dropped. `key`: the digest of the identity. */
const callOnce = async (key: string, source: TokenSource, use: (token: string) => Promise<CallWithToken>): Promise<CallWithToken> => {
  const got = await tokenOf(key, source)
  if (!('token' in got)) return got
  const used = await use(got.token)
  if (!('stale' in used)) return withoutToken(used, got.token)
  // Another call may already have stored a newer token, which must stay.
  const { kept } = source.keep.of(createTokens)
  if (kept.get(key)?.token === got.token) kept.delete(key)
  return { stale: withoutToken(used.stale, got.token) }
}

/** Removes the token from a failure's reason, because an API may quote the token that it refuses. */
const withoutToken = (sent: Sent, token: string): Sent => (sent.ok ? sent : { ...sent, why: createRedactor([token])(sent.why) })

const tokenOf = (key: string, source: TokenSource): TokenOrFailure | KeptToken | Promise<TokenOrFailure> => {
  const { kept, fetching } = source.keep.of(createTokens)
  const known = kept.get(key)
  if (known !== undefined && source.clock.monotonic() < known.until) return known
  const fetch = fetching.get(key) ?? fetchFor(key, source).finally(() => fetching.delete(key))
  fetching.set(key, fetch)
  return fetch
}

/** Fetches a token and keeps it. At most `maxKept` tokens are kept: the oldest ones are dropped. */
const fetchFor = async (key: string, { clock, keep, fetchToken }: TokenSource): Promise<TokenOrFailure> => {
  const askedAt = clock.monotonic()
  const got = await fetchToken()
  if (!('token' in got)) return got
  const { kept } = keep.of(createTokens)
  kept.delete(key)
  kept.set(key, { token: got.token, until: askedAt + got.lifeMs - Math.min(longestMarginMs, got.lifeMs / 10) })
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) break
    kept.delete(oldest)
  }
  return got
}
