/** Says in the log how requests ended: what an operator must see at once, at a bounded rate, the rest when asked for. */

import type { Clock } from '../core/clock.ts'
import type { Level, Log } from '../core/log.ts'
import type { Outcome } from '../core/outcome.ts'
import { replyTo } from './reply.ts'

/** Lines of one kind and route in a minute; the others are counted and told when it is over. */
const linesPerMinute = 10
const minuteMs = 60_000
const maxKinds = 1_000

type About = { readonly route: string | undefined; readonly remote: () => string; readonly ms: () => number }

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

export const createReporter = (log: Log, clock: Clock): ((outcome: Outcome, about: About) => void) => {
  let counts = new Map<string, number>()
  let from = clock.monotonic()

  const tellRest = (): void => {
    for (const [key, count] of counts) {
      const [code, route] = key.split('\n') as [string, string]
      if (count > linesPerMinute)
        log(
          levels[code] ?? 'warn',
          { route, count: count - linesPerMinute },
          `${messages[code] ?? code}: more of the same in the last minute`,
        )
    }
    counts = new Map()
  }

  const allowed = (code: string, route: string): boolean => {
    const now = clock.monotonic()
    if (now - from >= minuteMs) {
      from = now
      tellRest()
    }
    const key = `${code}\n${route}`
    if (!counts.has(key) && counts.size >= maxKinds) return false
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count <= linesPerMinute
  }

  return (outcome, about) => {
    const loud = outcome.kind === 'refused' ? levels[outcome.code] : undefined
    const level = loud ?? 'debug'
    if (!log.writes(level)) return
    if (loud && outcome.kind === 'refused' && !allowed(outcome.code, about.route ?? '')) return
    log(level, fieldsOf(outcome, about), outcome.kind === 'refused' ? (messages[outcome.code] ?? outcome.code) : outcome.kind)
  }
}

const fieldsOf = (outcome: Outcome, { route, remote, ms }: About) => {
  const detail = outcome.kind === 'ignored' ? outcome.detail?.() : outcome.kind === 'refused' ? outcome.detail : undefined
  return {
    route,
    outcome: outcome.kind === 'refused' ? outcome.code : outcome.kind,
    ...(detail === undefined ? {} : { reason: detail }),
    ...('deliveryId' in outcome ? { delivery_id: outcome.deliveryId } : {}),
    ...('event' in outcome ? { event_type: outcome.event } : {}),
    status: replyTo(outcome).status,
    remote: remote(),
    duration_ms: Math.round(ms() * 1000) / 1000,
  }
}
