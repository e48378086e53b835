/**
 * Tells refused signatures as facts. A few in a minute are told after their answer has left, with their cause, and leave a record. All
 * others are told at once, without a cause, and counted: a flood costs neither records nor the time of other senders.
 */

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { Facts, RequestEnded } from '../../core/fact.ts'
import { schemesFor } from '../../plan/compile.ts'
import { servedAs } from '../../plan/table.ts'
import { diagnoseSignature, unfetched } from '../routes/diagnose-signature.ts'
import { createKeptBudget, keptOf } from './kept-refusal.ts'
import type { LiveConfig } from './live-config.ts'

const minuteMs = 60_000
const perRoute = 10
/** The records of all routes: at most `burst` at once, and `perMinute` more in each minute. */
const burst = 60
const perMinute = 10
/** The most routes that are counted separately. */
const maxCounted = 5

export type RefusedSignatures = Pick<Facts, 'tell'> & {
  /** Tells the observers the counts that they were not told yet. */
  close(): void
}

type Options = { readonly facts: Pick<Facts, 'tell'>; readonly clock: Clock; readonly serving: () => LiveConfig }

type RefusedRoute = NonNullable<RequestEnded['route']>

export const createRefusedSignatures = ({ facts, clock, serving }: Options): RefusedSignatures => {
  const later = createAfterAnswer()
  const budget = createKeptBudget(clock)
  const records = createRecordShares({ facts, clock })
  return {
    tell(fact) {
      if (fact.kind !== 'request_ended' || !isRefusedSignature(fact) || !fact.route) return facts.tell(fact)
      const share = records.take(fact.route)
      if (share !== 'told') return facts.tell(share === 'over' ? { ...fact, refusal: 'counted' } : fact)
      const [took, remote] = [fact.ms(), fact.remote()]
      const about = { eventId: randomUUID(), at: fact.ended.unverified?.at ?? clock.now() }
      later.run(() => {
        const live = serving()
        const kept = keptOf(fact, live, budget)
        facts.tell({ ...withCause(fact, live), ms: () => took, remote: () => remote, refusal: kept ? { ...about, kept } : about })
      })
    },
    close() {
      later.close()
      records.close()
    },
  }
}

/** Shares out the records of a minute among the routes, and counts the refusals that get none. Their counts are told when it is over. */
const createRecordShares = ({ facts, clock }: Pick<Options, 'facts' | 'clock'>) => {
  let left = burst
  let taken = new Map<string, number>()
  let rest = new Map<string, { readonly profile: string; readonly route: string; count: number }>()
  let cancelTimer: (() => void) | undefined

  const endMinute = (): void => {
    cancelTimer?.()
    cancelTimer = undefined
    left = Math.min(burst, left + perMinute)
    const over = rest
    taken = new Map()
    rest = new Map()
    for (const counted of over.values()) facts.tell({ kind: 'signatures_refused', at: clock.now(), eventId: randomUUID(), ...counted })
    // The burst refills while no signature is refused.
    if (left < burst) cancelTimer = clock.after(minuteMs, endMinute)
  }
  const countOne = ({ profile, name }: RefusedRoute): void => {
    const isApart = rest.has(name) || rest.size < maxCounted
    const counted = rest.get(isApart ? name : '') ?? { profile: isApart ? profile : '', route: isApart ? name : '', count: 0 }
    rest.set(counted.route, counted)
    counted.count++
  }
  return {
    /** Takes a route's share. `over`: the route has left its most records in this minute. `out`: all routes have. */
    take(route: RefusedRoute): 'told' | 'over' | 'out' {
      cancelTimer ??= clock.after(minuteMs, endMinute)
      const count = (taken.get(route.name) ?? 0) + 1
      if (count <= perRoute && left > 0) {
        taken.set(route.name, count)
        left--
        return 'told'
      }
      countOne(route)
      return count > perRoute ? 'over' : 'out'
    },
    close(): void {
      endMinute()
      cancelTimer?.()
    },
  }
}

const isRefusedSignature = ({ ended: { outcome } }: RequestEnded): boolean => outcome.kind === 'refused' && outcome.code === 'bad_signature'

/** Returns the fact with the cause of the refusal, where the route is still served. */
const withCause = (fact: RequestEnded, { table, catalogue }: LiveConfig): RequestEnded => {
  const { outcome, unverified } = fact.ended
  const route = fact.route && servedAs(table, fact.route.name)?.source
  if (!route || !unverified || outcome.kind !== 'refused') return fact
  const { why } = diagnoseSignature(unverified, { secrets: route.secrets, verify: route.spec.verify }, schemesFor(route, catalogue))
  // Empty: the route's secret has changed since. Where keys are fetched, the check that refused the request knows more.
  return why === '' || why.includes(unfetched) ? fact : { ...fact, ended: { ...fact.ended, outcome: { ...outcome, detail: why } } }
}

/** Does one work in each turn of the loop, and none before the answers of this turn have left. */
const createAfterAnswer = (): { run(work: () => void): void; close(): void } => {
  const waiting: (() => void)[] = []
  const next = (): void => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(next)
  }
  return {
    run(work) {
      // Answers leave with the next `setImmediate`, which may come after this one in the same turn.
      if (waiting.push(work) === 1) setImmediate(() => setImmediate(next))
    },
    close() {
      for (const work of waiting.splice(0)) work()
    },
  }
}
