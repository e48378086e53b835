/** Says whether a run may begin now, must wait, or has expired, by the keys of its route. */

import type { Route } from '../../generated/config.ts'
import type { Lease } from '../../store/ports.ts'

/** What a route asks of the begin of its runs. Durations in milliseconds. */
export type StartRule = {
  /** How long a run waits after its event was accepted. */
  readonly delayMs: number
  /** How late a run may begin, counted from the end of its delay. */
  readonly expiresMs: number
  /** The route is paused, and its runs wait. */
  readonly isHeld: boolean
  /** How many runs with one key may begin in a minute. Absent where a run need not wait for its turn. */
  readonly perMinute?: number
}

/** How long a held run waits at most before it is judged again, in milliseconds. A resumed route lets its runs begin sooner. */
const holdMs = 600_000

export type StartKeys = Pick<Route, 'delay_seconds' | 'expires_seconds' | 'rate_limit'>

/** `undefined` for a route that has no such key and is not held, as most routes. */
export const startRuleOf = ({ delay_seconds, expires_seconds, rate_limit }: StartKeys, isHeld: boolean): StartRule | undefined => {
  const [delay, expires] = [delay_seconds ?? 0, expires_seconds ?? Number.POSITIVE_INFINITY]
  const pace = rate_limit?.when_over === 'queue' ? { perMinute: rate_limit.per_minute } : undefined
  if (delay === 0 && expires === Number.POSITIVE_INFINITY && !isHeld && !pace) return undefined
  return { delayMs: delay * 1000, expiresMs: expires * 1000, isHeld, ...pace }
}

/** Returns the time in which a run may still begin, in milliseconds; infinite for a run that was begun before. `now`: wall time. */
export const leftMs = ({ run, attempt }: Lease, { delayMs, expiresMs }: StartRule, now: number): number =>
  attempt === 1 ? delayMs + expiresMs - (now - run.acceptedAt) : Number.POSITIVE_INFINITY

/**
 * Whether the agent has answered. The text of a direct message is there from the beginning, so such a run has begun only where an earlier
 * attempt may have sent it.
 */
export const hasBegun = ({ reply, interrupted, run }: Lease): boolean => reply !== undefined && (!run.direct || interrupted)

/** `waitMs`: the time until the run may begin, or is judged again. `isHeld`: it waits for its route. */
export type NotBegun =
  | { readonly kind: 'wait'; readonly waitMs: number; readonly why: string; readonly isHeld: boolean }
  | { readonly kind: 'expired'; readonly error: string }

/**
 * Returns why the agent is not asked at `now` (wall time, milliseconds); `undefined` where it may be asked. A run that was begun before
 * neither waits for its delay nor expires. Where the agent has answered, nothing holds the run up.
 */
export const notBegun = (lease: Lease, rule: StartRule, now: number): NotBegun | undefined => {
  const { isHeld, delayMs, expiresMs } = rule
  if (hasBegun(lease)) return undefined
  // A run whose time is over expires also while it is held.
  const left = leftMs(lease, rule, now)
  if (left < 0) return { kind: 'expired', error: `expired: the run could not begin within ${expiresMs / 1000} s` }
  if (isHeld) return { kind: 'wait', waitMs: Math.min(holdMs, left + 1), why: 'the run waits until its route is resumed', isHeld }
  const sinceMs = now - lease.run.acceptedAt
  if (lease.attempt === 1 && sinceMs < delayMs)
    return { kind: 'wait', waitMs: delayMs - sinceMs, why: 'the run waits until its delay is over', isHeld }
  return undefined
}
