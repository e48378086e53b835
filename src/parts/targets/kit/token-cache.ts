/** Keeps access tokens until shortly before they expire, fetches each once at a time, and never shares one between credentials. */

import { createHash } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import type { Json } from '../../../core/json.ts'
import { createRedactor } from '../../../core/secrets/redact.ts'
import type { Keep, Sent } from '../target.ts'

export type TokenOrFailure = { readonly token: string; readonly lifeMs: number } | Sent

export type TokenSource = {
  /** What the token belongs to: the address that issues it, and the credentials. */
  readonly identity: readonly (string | undefined)[]
  readonly clock: Clock
  readonly keep: Keep
  /** Gets a new token. A fetch posts no message, so its failure may say `repeatable`. */
  readonly fetch: () => Promise<TokenOrFailure>
}

/** The result of a call with a token. `stale` holds what the API said when it no longer accepted the token. */
export type CallWithToken = Sent | { readonly stale: Sent }

type KeptToken = { readonly token: string; readonly until: number }

const maxKept = 200
const longestMarginMs = 180_000

/** The keys of both maps are digests, so that no credential is kept here. */
type Tokens = { readonly kept: Map<string, KeptToken>; readonly fetching: Map<string, Promise<TokenOrFailure>> }

const createTokens = (): Tokens => ({ kept: new Map(), fetching: new Map() })

/** The token that an API issued; `undefined` when it issued none. A token whose lifetime is unclear is not kept. */
export const issued = (token: Json | undefined, seconds: Json | undefined): TokenOrFailure | undefined => {
  if (typeof token !== 'string' || token === '') return undefined
  const lifeMs = Number(seconds) * 1000
  return { token, lifeMs: lifeMs > 0 && Number.isFinite(lifeMs) ? lifeMs : 0 }
}

/** Calls with a token. When the API refuses the token, it is dropped, and the call is made once more with a new token. */
export const withToken = async (source: TokenSource, use: (token: string) => Promise<CallWithToken>): Promise<Sent> => {
  const key = createHash('sha256').update(JSON.stringify(source.identity)).digest('base64')
  const first = await attempt(key, source, use)
  if (!('stale' in first)) return first
  const second = await attempt(key, source, use)
  return 'stale' in second ? second.stale : second
}

const attempt = async (key: string, source: TokenSource, use: (token: string) => Promise<CallWithToken>): Promise<CallWithToken> => {
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
  const flight = fetching.get(key) ?? fetchFor(key, source).finally(() => fetching.delete(key))
  fetching.set(key, flight)
  return flight
}

const fetchFor = async (key: string, { clock, keep, fetch }: TokenSource): Promise<TokenOrFailure> => {
  const askedAt = clock.monotonic()
  const got = await fetch()
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
