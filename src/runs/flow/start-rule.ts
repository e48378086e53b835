/** Says whether a run may begin now, must wait, or has expired, by the keys of its route. */

import type { Route } from '../../generated/config.ts'
import type { Lease } from '../../store/ports.ts'

/** What a route asks of the begin of its runs. Durations in milliseconds. */
export type StartRule = {
  /** How long a run waits after its event was accepted. */
  readonly delayMs: number
  /** How late a run may begin, counted from the end of its delay. */
  readonly expiresMs: number
}

/** `undefined` where the route has no such key, as most routes. */
export const startRuleOf = ({ delay_seconds: delay, expires_seconds: expires }: StartKeys): StartRule | undefined =>
  delay === undefined && expires === undefined
    ? undefined
    : { delayMs: (delay ?? 0) * 1000, expiresMs: expires === undefined ? Number.POSITIVE_INFINITY : expires * 1000 }

export type StartKeys = Pick<Route, 'delay_seconds' | 'expires_seconds'>

/** `waitMs`: the time until the run may begin. */
export type NotBegun =
  | { readonly kind: 'wait'; readonly waitMs: number; readonly why: string }
  | { readonly kind: 'expired'; readonly error: string }

/**
 * Returns why a run does not begin at `now` (wall time, milliseconds); `undefined` where it may begin. A run that was begun before is held
 * up by nothing: it neither waits nor expires.
 */
export const notBegun = ({ run, attempt, reply }: Lease, { delayMs, expiresMs }: StartRule, now: number): NotBegun | undefined => {
  if (attempt > 1 || reply !== undefined) return undefined
  const sinceMs = now - run.acceptedAt
  if (sinceMs < delayMs) return { kind: 'wait', waitMs: delayMs - sinceMs, why: 'the run waits until its delay is over' }
  if (sinceMs - delayMs <= expiresMs) return undefined
  return { kind: 'expired', error: `expired: the run could not begin within ${expiresMs / 1000} s` }
}
