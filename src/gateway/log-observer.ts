/** An observer that logs facts. Refused requests are logged at a bounded rate, so that a flood does not fill the log. */

import { type Clock, minuteMs } from '../core/clock.ts'
import type { CatchUpEnded, Fact, RequestEnded, RouteChanges, RunAttempt } from '../core/facts/fact.ts'
import type { Observer } from '../core/facts/facts.ts'
import type { Log } from '../core/log.ts'
import { type Refused, refuse } from '../core/outcome.ts'
import { outcomeName, outcomeReason, outcomeStatus, refusalRow } from '../core/outcome-table.ts'
import { contextOf, type EventTraces } from '../core/telemetry/trace-context.ts'
import { someOf } from '../core/text.ts'
import { Timer } from '../core/turns/timer.ts'

/**
 * The most lines a minute for refusals with the same code on the same route. Further such refusals are counted, and one line says their
 * number at the end of the minute.
 */
const linesPerMinute = 10
/** The most pairs of code and route that are counted separately. */
const maxKinds = 1_000

export type LogObserver = Observer<'log'> & {
  /** Logs the numbers of refusals that were counted in this minute. */
  close(): void
}

/** Makes the observer. `requests`: whether the ends of requests are logged. `traces`: absent while traces are off. */
export const createLogObserver = (
  log: Log,
  clock: Clock,
  { requests, traces }: { readonly requests: boolean; readonly traces?: EventTraces | undefined } = { requests: true },
): LogObserver => {
  const budget = createLineBudget(log, clock)
  return {
    handlers: {
      request_ended(fact) {
        if (requests) logRequest(fact, log, budget, traces)
      },
      attempt_committed: ({ run }) => logAttempt(run, log),
      text_logged: ({ cause, text }) => log('info', { ...causeFields(cause), text }, 'delivered'),
      text_goes_once: ({ cause, target, why }) =>
        log('warn', { ...causeFields(cause), target, reason: why }, 'delivery goes out only once'),
      breaker_changed: (fact) => logBreaker(fact, log),
      payload_mismatched: (fact) => logMismatch(fact, log, budget),
      // Each field is logged once: an event of another type may rightly lack it, and metrics count them all.
      redaction_missed({ route, profile, eventId, first }) {
        const fields = { route, profile, event_id: eventId, fields: first.join(', ') }
        if (first.length > 0) log('warn', fields, 'fields of redact are not in the event: nothing was hidden there')
      },
      config_replaced({ routes, changes, needRestart }) {
        log('info', { routes, ...changedNames(changes) }, 'configuration reloaded')
        if (needRestart.length > 0) log('warn', { settings: needRestart.join(', ') }, 'changed, but only a restart takes it over')
      },
      config_refused: () => log('error', {}, 'reload refused: the configuration before it stays in use'),
      catch_up_ended: (fact) => logCatchUp(fact, log),
      certificates_replaced: ({ endsAt }) =>
        log('info', { ends_at: timeText(endsAt) }, 'certificates replaced: new connections get the new ones'),
      certificates_refused: ({ reason }) => log('error', { reason }, 'new certificates refused: those before them stay in use'),
      certificate_ends_soon: ({ file, endsAt }) => log('warn', { file, ends_at: timeText(endsAt) }, 'a certificate ends soon: renew it'),
    },
    close: () => budget.close(),
  }
}

const refusalMessage = (refused: Refused): string => refusalRow(refused).message ?? refused.code

const logRequest = (fact: RequestEnded, log: Log, budget: LineBudget, traces: EventTraces | undefined): void => {
  const { outcome } = fact.ended
  const level = outcome.kind === 'refused' ? refusalRow(outcome).level : 'debug'
  if (!log.writes(level)) return
  if (outcome.kind === 'refused' && level !== 'debug' && !budget.allows(outcome, fact.route?.name ?? '', fact.refusal === 'counted')) return
  log(level, requestFields(fact, traces), outcome.kind === 'refused' ? refusalMessage(outcome) : outcome.kind)
}

/** Returns the fields of the log line of a request. A field that was not known when the request ended is `undefined`. */
const requestFields = (
  { ended: { outcome, stage, verified, event }, route, remote, ms }: RequestEnded,
  traces: EventTraces | undefined,
) => ({
  route: route?.name,
  profile: route?.profile,
  stage,
  outcome: outcomeName(outcome),
  event_id: verified?.eventId,
  reason: outcomeReason(outcome),
  delivery_id: event?.deliveryId,
  event_type: event?.eventType,
  status: outcomeStatus(outcome),
  remote: remote(),
  duration_ms: Math.round(ms() * 1000) / 1000,
  trace_id: verified && traces?.traceIdOf({ eventId: verified.eventId, traceparent: event?.traceparent }),
})

/** Returns one text with the names of the changed routes for each kind of change; `undefined` for a kind without routes. */
const changedNames = (changes: RouteChanges): { readonly [what: string]: string | undefined } =>
  Object.fromEntries(Object.entries(changes).map(([what, names]) => [what, names.length > 0 ? someOf(names) : undefined]))

const logCatchUp = ({ profile, route, from, isElsewhere, why, ...fact }: CatchUpEnded, log: Log): void => {
  const { listed, asked, refused, givenUp } = fact
  const fields = { profile, route, from, since: timeText(fact.since), listed, asked, refused, given_up: givenUp }
  if (isElsewhere) log('debug', { profile, route, from }, 'another gateway catches up')
  else if (why !== undefined) log('warn', { ...fields, reason: why }, 'catch-up ended early')
  else log('info', fields, 'caught up')
}

/** Logs a payload that does not fit its schema. The line of a refused request says the same. */
const logMismatch = ({ action, eventId, profile, route, why }: Mismatch, log: Log, budget: LineBudget): void => {
  if (action === 'refuse' || !budget.allows(refuse('schema_mismatch'), route, false)) return
  log('warn', { route, profile, event_id: eventId, reason: why, action }, 'payload does not fit the schema of its route')
}

type Mismatch = Extract<Fact, { kind: 'payload_mismatched' }>

const timeText = (at: number): string => new Date(at).toISOString()

/** Logs that a target is down or asks to wait, and that it works again. Failed trials in between get no lines. */
const logBreaker = (fact: Extract<Fact, { kind: 'breaker_changed' }>, log: Log): void => {
  const { target, state, at, openedAt } = fact
  const fields = { target, address: fact.address || undefined, reason: fact.reason }
  const wait = fact.retryAt === undefined ? 0 : Math.round((fact.retryAt - at) / 1000)
  if (state === 'open' && at === openedAt && fact.isAsked)
    log('info', { ...fields, wait_seconds: wait }, 'target asks to wait: its texts wait')
  else if (state === 'open' && at === openedAt) log('warn', fields, 'target is down: its texts wait until it works again')
  if (state !== 'closed') return
  const message = fact.isReset ? 'an operator closed the breaker of a target that was down' : 'target works again'
  const seconds = Math.round((at - openedAt) / 1000)
  if (fact.isAsked) log('info', { ...fields, waited_seconds: seconds }, 'target takes texts again')
  else log('info', { ...fields, down_seconds: seconds }, message)
}

type Cause = Extract<Fact, { kind: 'text_logged' }>['cause']

const causeFields = ({ route, profile, job, deliveryId, span }: Cause) => ({
  route: route || undefined,
  profile,
  job,
  delivery_id: deliveryId,
  ...traceField(span),
})

const traceField = (span: Cause['span']): { readonly trace_id?: string } => (span ? { trace_id: contextOf(span).traceId } : {})

const logAttempt = ({ end, ...run }: RunAttempt, log: Log): void => {
  if (end.kind === 'done') return
  const fields = { route: run.route || undefined, job: run.job, profile: run.profile, delivery_id: run.deliveryId }
  const about = {
    ...fields,
    event_id: run.eventId,
    event_type: run.eventType,
    attempt: run.attempt,
    ...traceField(run.span),
    reason: end.error,
  }
  if (end.kind === 'dead') log('error', about, 'run is dead')
  else if (end.kind !== 'again') log(end.kind === 'expired' ? 'warn' : 'info', about, `run is ${end.kind}`)
  else if (end.waits) log('debug', about, 'run waits for its target')
  else log('warn', about, 'run failed, it will be tried again')
}

/** Bounds the log lines of refusals. */
interface LineBudget {
  /** Whether the caller logs this refusal. Where not, the budget counts it. `isCounted`: the refusal gets no line in any case. */
  allows(refused: Refused, route: string, isCounted: boolean): boolean
  close(): void
}

type RefusalCount = { readonly refused: Refused; readonly route: string; lines: number; count: number }

const createLineBudget = (log: Log, clock: Clock): LineBudget => {
  const counts = new Map<string, RefusalCount>()
  const tellRest = (): void => {
    minute.stop()
    for (const { refused, route, count } of counts.values())
      if (count > 0)
        log(
          refusalRow(refused).level,
          { route: route || undefined, count },
          `${refusalMessage(refused)}: more of the same in the last minute`,
        )
    counts.clear()
  }
  const minute = new Timer(clock, tellRest)
  return {
    allows(refused, named, isCounted) {
      minute.startUnlessRunning(minuteMs)
      // Past `maxKinds`, the refusals with one code are counted together for all further routes.
      const route = counts.size < maxKinds || counts.has(`${refused.code}\n${named}`) ? named : ''
      const key = `${refused.code}\n${route}`
      const counted = counts.get(key) ?? { refused, route, lines: 0, count: 0 }
      counts.set(key, counted)
      const hasLine = !isCounted && counted.lines < linesPerMinute
      if (hasLine) counted.lines++
      else counted.count++
      return hasLine
    },
    close: tellRest,
  }
}
