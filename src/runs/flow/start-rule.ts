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
}

/** How long a held run waits at most before it is looked at again, in milliseconds. A resumed route lets its runs begin sooner. */
const holdMs = 600_000

export type StartKeys = Pick<Route, 'delay_seconds' | 'expires_seconds'>

/** `undefined` for a route that has no such key and is not held, as most routes. */
export const startRuleOf = (
  { delay_seconds: delay = 0, expires_seconds: expires = Number.POSITIVE_INFINITY }: StartKeys,
  isHeld: boolean,
): StartRule | undefined =>
  delay === 0 && expires === Number.POSITIVE_INFINITY && !isHeld ? undefined : { delayMs: delay * 1000, expiresMs: expires * 1000, isHeld }

/** `waitMs`: the time until the run may begin, or is to be looked at again. `isHeld`: it waits for its route. */
export type NotBegun =
  | { readonly kind: 'wait'; readonly waitMs: number; readonly why: string; readonly isHeld: boolean }
  | { readonly kind: 'expired'; readonly error: string }

/**
 * Returns why the agent is not asked at `now` (wall time, milliseconds); `undefined` where it may be asked. A run that was begun before
 * neither waits for its delay nor expires. Where the agent has answered, nothing holds the run up.
 */
export const notBegun = ({ run, attempt, reply }: Lease, { delayMs, expiresMs, isHeld }: StartRule, now: number): NotBegun | undefined => {
  if (reply !== undefined) return undefined
  const sinceMs = now - run.acceptedAt
  const isFresh = attempt === 1
  // A run whose time is over expires also while it is held.
  const leftMs = isFresh ? delayMs + expiresMs - sinceMs : Number.POSITIVE_INFINITY
  if (leftMs < 0) return { kind: 'expired', error: `expired: the run could not begin within ${expiresMs / 1000} s` }
  if (isHeld) return { kind: 'wait', waitMs: Math.min(holdMs, leftMs + 1), why: 'the run waits until its route is resumed', isHeld }
  if (isFresh && sinceMs < delayMs) return { kind: 'wait', waitMs: delayMs - sinceMs, why: 'the run waits until its delay is over', isHeld }
  return undefined
}
