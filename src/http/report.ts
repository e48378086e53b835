/** Says in the log how requests ended: what an operator must see at once, at a bounded rate, the rest when asked for. */

import type { Clock } from '../core/clock.ts'
import type { Level, Log } from '../core/log.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Ended } from '../engine/run.ts'
import type { About } from './receive.ts'
import { statusOf } from './reply.ts'

/** Lines of one kind and route in a minute; the others are counted and told when it is over. */
const linesPerMinute = 10
const minuteMs = 60_000
const maxKinds = 1_000

const levels: { readonly [code: string]: Level } = {
  bad_signature: 'warn',
  delivery_failed: 'warn',
  rate_limited: 'warn',
  forbidden: 'warn',
  overloaded: 'error',
  unavailable: 'error',
  internal: 'error',
}

/** spec: Authentication 5 asks for these words. */
const messages: { readonly [code: string]: string } = { bad_signature: 'Invalid signature' }

export interface Reporter {
  ended(ended: Ended, about: About): void
  /** Tells what was counted and not told yet. */
  stop(): void
}

export const createReporter = (log: Log, clock: Clock): Reporter => {
  const counts = new Map<string, number>()
  let cancelTimer: (() => void) | undefined

  const tellRest = (): void => {
    cancelTimer?.()
    cancelTimer = undefined
    for (const [key, count] of counts) {
      const [code, route] = key.split('\n') as [string, string]
      if (count > linesPerMinute)
        log(
          levels[code] ?? 'warn',
          { route: route || undefined, count: count - linesPerMinute },
          `${messages[code] ?? code}: more of the same in the last minute`,
        )
    }
    counts.clear()
  }

  const allowed = (code: string, route: string): boolean => {
    cancelTimer ??= clock.after(minuteMs, tellRest)
    // Past so many kinds those of one code are counted together.
    const key = counts.size < maxKinds || counts.has(`${code}\n${route}`) ? `${code}\n${route}` : `${code}\n`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count <= linesPerMinute
  }

  return {
    ended(ended, about) {
      const { outcome } = ended
      const loud = outcome.kind === 'refused' ? levels[outcome.code] : undefined
      const level = loud ?? 'debug'
      if (!log.writes(level)) return
      if (loud && outcome.kind === 'refused' && !allowed(outcome.code, about.plan?.name ?? '')) return
      log(level, fieldsOf(ended, about), outcome.kind === 'refused' ? (messages[outcome.code] ?? outcome.code) : outcome.kind)
    },
    stop: tellRest,
  }
}

/** A refusal by its code, every other end by its kind. */
const outcomeName = (outcome: Outcome): string => (outcome.kind === 'refused' ? outcome.code : outcome.kind)

/** Why it ended so, where there is more to say. */
const reasonOf = (outcome: Outcome): string | undefined =>
  outcome.kind === 'ignored' ? (outcome.detail?.() ?? outcome.reason) : outcome.kind === 'refused' ? outcome.detail : undefined

/** An end in words, as records and commands give it. */
export const describe = (outcome: Outcome): { readonly outcome: string; readonly status: number; readonly reason?: string } => {
  const reason = reasonOf(outcome)
  return { outcome: outcomeName(outcome), status: statusOf(outcome), ...(reason === undefined ? {} : { reason }) }
}

/** Whatever is known of the request by then. */
const fieldsOf = ({ outcome, stage, verified, event }: Ended, { plan, remote, ms }: About) => ({
  route: plan?.name,
  profile: plan?.profile,
  stage,
  outcome: outcomeName(outcome),
  event_id: verified?.eventId,
  reason: reasonOf(outcome),
  delivery_id: event?.deliveryId,
  event_type: event?.eventType,
  status: statusOf(outcome),
  remote: remote(),
  duration_ms: Math.round(ms() * 1000) / 1000,
})
