/**
 * Emits refused signatures, and bodies that are too large, as facts. For a few refusals in a minute, the fact is emitted after the answer
 * has left, with the cause, and leaves a record. For further refusals of the minute, the fact is emitted at once, without a cause and
 * without a record, and a fact with their number follows at the end of the minute. So a flood costs neither records nor the time of other
 * senders. A body that is too large leaves a record within the same share.
 */

import { randomUUID } from 'node:crypto'
import { type Clock, minuteMs } from '../core/clock.ts'
import type { RequestEnded } from '../core/facts/fact.ts'
import type { Facts } from '../core/facts/facts.ts'
import { Timer } from '../core/turns/timer.ts'
import { diagnoseSignature, unfetched } from '../parts/diagnose-signature.ts'
import { schemesFor } from '../plan/route-schemes.ts'
import { servedAs } from '../plan/table.ts'
import { createKeptBudget, refusalToKeep } from './kept-refusal.ts'
import type { LiveConfig } from './live-config.ts'

const recordsPerRoute = 10
/** The records of all routes: at most `burst` at once, and `perMinute` more in each minute. */
const burst = 60
const perMinute = 10
/** The most routes whose refusals without a record are counted separately in a minute. Further routes share one count. */
const maxCounted = 5

/** Takes all facts. Facts other than those refusals are emitted at once, unchanged. */
export type RefusedSignatures = Pick<Facts, 'emit'> & {
  /** Emits the refusals and the counts that were not emitted yet. */
  close(): void
}

type RefusedSignaturesOptions = { readonly facts: Pick<Facts, 'emit'>; readonly clock: Clock; readonly serving: () => LiveConfig }

type RefusedRoute = NonNullable<RequestEnded['route']>

export const createRefusedSignatures = ({ facts, clock, serving }: RefusedSignaturesOptions): RefusedSignatures => {
  const later = createAfterAnswer()
  const budget = createKeptBudget(clock)
  const records = createRecordShares({ facts, clock })
  return {
    emit(fact) {
      if (fact.kind !== 'request_ended' || !fact.route) return facts.emit(fact)
      if (isRefusedAs('too_large', fact)) {
        const isRecorded = records.take(fact.route, false) === 'told'
        return facts.emit(isRecorded ? { ...fact, refusal: { eventId: randomUUID(), at: clock.now() } } : fact)
      }
      if (!isRefusedAs('bad_signature', fact)) return facts.emit(fact)
      const share = records.take(fact.route)
      if (share !== 'told') return facts.emit(share === 'over' ? { ...fact, refusal: 'counted' } : fact)
      const [took, remote] = [fact.ms(), fact.remote()]
      const about = { eventId: randomUUID(), at: fact.ended.unverified?.at ?? clock.now() }
      later.run(() => {
        const live = serving()
        const kept = refusalToKeep(fact, live, budget)
        facts.emit({ ...withCause(fact, live), ms: () => took, remote: () => remote, refusal: kept ? { ...about, kept } : about })
      })
    },
    close() {
      later.close()
      records.close()
    },
  }
}

/**
 * Shares out the records of a minute among the routes, and counts the refusals that get no record. Emits these counts as facts at the end
 * of the minute.
 */
const createRecordShares = ({ facts, clock }: Pick<RefusedSignaturesOptions, 'facts' | 'clock'>) => {
  let left = burst
  let taken = new Map<string, number>()
  let withoutRecord = new Map<string, { readonly profile: string; readonly route: string; count: number }>()

  const endMinute = (): void => {
    minute.stop()
    left = Math.min(burst, left + perMinute)
    const counts = withoutRecord
    taken = new Map()
    withoutRecord = new Map()
    for (const counted of counts.values()) facts.emit({ kind: 'signatures_refused', at: clock.now(), eventId: randomUUID(), ...counted })
    // While records of the burst are missing, the timer goes on even when no signature is refused, so that the burst refills.
    if (left < burst) minute.start(minuteMs)
  }
  const minute = new Timer(clock, endMinute)
  const countOne = ({ profile, name }: RefusedRoute): void => {
    const isApart = withoutRecord.has(name) || withoutRecord.size < maxCounted
    const counted = withoutRecord.get(isApart ? name : '') ?? { profile: isApart ? profile : '', route: isApart ? name : '', count: 0 }
    withoutRecord.set(counted.route, counted)
    counted.count++
  }
  return {
    /**
     * Takes a record for one refusal of a route. `told`: the refusal gets a record. `over`: the route has used up its records of this
     * minute. `out`: all routes together have used up the records. `isCounted`: a refusal without a record is counted.
     */
    take(route: RefusedRoute, isCounted = true): 'told' | 'over' | 'out' {
      minute.startUnlessRunning(minuteMs)
      const count = (taken.get(route.name) ?? 0) + 1
      if (count <= recordsPerRoute && left > 0) {
        taken.set(route.name, count)
        left--
        return 'told'
      }
      if (isCounted) countOne(route)
      return count > recordsPerRoute ? 'over' : 'out'
    },
    close(): void {
      endMinute()
      minute.stop()
    },
  }
}

const isRefusedAs = (code: 'bad_signature' | 'too_large', { ended: { outcome } }: RequestEnded): boolean =>
  outcome.kind === 'refused' && outcome.code === code

/** Returns the fact with the cause of the refusal, where the route is still served. */
const withCause = (fact: RequestEnded, { table, catalogue }: LiveConfig): RequestEnded => {
  const { outcome, unverified } = fact.ended
  const route = fact.route && servedAs(table, fact.route.name)?.source
  if (!route || !unverified || outcome.kind !== 'refused') return fact
  const { why } = diagnoseSignature(unverified, { secrets: route.secrets, verify: route.spec.verify }, schemesFor(route, catalogue))
  // An empty cause means that the signature holds now, because the route's secret was changed after the refusal. A scheme with fetched keys
  // cannot be diagnosed here, so the detail from the check that refused the request stays.
  return why === '' || why.includes(unfetched) ? fact : { ...fact, ended: { ...fact.ended, outcome: { ...outcome, detail: why } } }
}

/**
 * Runs one of the given functions in each turn of the event loop, and none before the answers of the present turn have left. `close` runs
 * all that wait.
 */
const createAfterAnswer = (): { run(work: () => void): void; close(): void } => {
  const waiting: (() => void)[] = []
  const next = (): void => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(next)
  }
  return {
    run(work) {
      // Answers are written in a `setImmediate` that may come after this first one in the same turn, so the work waits for a second one.
      if (waiting.push(work) === 1) setImmediate(() => setImmediate(next))
    },
    close() {
      for (const work of waiting.splice(0)) work()
    },
  }
}
