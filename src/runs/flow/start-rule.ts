/** Says whether a run may begin now, must wait, or has expired, by the keys of its route. */

import { giveBack, type RunEnd } from '../../core/run-end.ts'
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

/**
 * Returns the end of an attempt that does not ask the agent at `now` (wall time, milliseconds), because the run waits or has expired;
 * `undefined` where the agent may be asked. A run that was begun before neither waits for its delay nor expires. Where the agent has
 * answered, nothing holds the run up.
 */
export const notBegun = (lease: Lease, rule: StartRule, now: number): RunEnd | undefined => {
  const { isHeld, delayMs, expiresMs } = rule
  if (hasBegun(lease)) return undefined
  // A run whose time is over expires also while it is held.
  const left = leftMs(lease, rule, now)
  if (left < 0) return { kind: 'expired', error: `expired: the run could not begin within ${expiresMs / 1000} s` }
  if (isHeld) return giveBack(Math.min(holdMs, left + 1), 'the run waits until its route is resumed', 'paused')
  const sinceMs = now - lease.run.acceptedAt
  return lease.attempt === 1 && sinceMs < delayMs ? giveBack(delayMs - sinceMs, 'the run waits until its delay is over') : undefined
}
