/** Decides which alerts begin and end, from the signals of facts and from the findings of each evaluation. */

import { dayMs, hourMs } from '../../core/clock.ts'
import { deliveriesOf } from '../../parts/destination.ts'
import type { CertificateEnd } from './certificates.ts'
import { kinds } from './kinds.ts'
import type { AlertKind, AlertRule, WatchedRoute } from './rules.ts'
import type { Signal, SignalBatch } from './signals.ts'
import { type AlertState, alertKey, type Firing, maxFiring } from './state.ts'

/** The facts, settings and states that one evaluation uses. Times are wall times, milliseconds. */
export type AlertEvaluation = SignalBatch & {
  readonly now: number
  /** The time since the last evaluation, as far as it counts as silence; 0 for the first evaluation. */
  readonly passedMs: number
  readonly rules: readonly AlertRule[]
  readonly hasRoute: (name: string) => boolean
  /** The time since the oldest run that is neither done nor dead was accepted; `undefined` where that is not known now. */
  readonly backlogMs: number | undefined
  readonly certificates: readonly CertificateEnd[]
}

/** Adds to the state what this gateway has heard: causes of alerts, their ends, and events that end a silence. */
export const judgeHeard = (state: AlertState, { rules, signals, refused, accepted, now }: AlertEvaluation): void => {
  for (const rule of rules) {
    for (const signal of signals) if (rule.has(signal.kind)) applySignal(state, rule, signal)
    if (rule.has('refused_signatures')) applyRefused(state, rule, refused, now)
    for (const watched of rule.silence) if (accepted.has(watched.route)) state.silentMs[watchKey(rule, watched)] = 0
  }
}

/**
 * Judges the causes that no fact reports: the age of the backlog, silence, and certificates. Ends alerts whose cause has stayed away, and
 * forgets the states of rules that are gone.
 */
export const judgeAll = (state: AlertState, evaluation: AlertEvaluation): void => {
  const { rules, now } = evaluation
  for (const rule of rules) {
    const found = [...backlogOf(rule, evaluation), ...silenceOf(state, rule, evaluation), ...certificatesOf(rule, evaluation)].filter(
      ({ kind }) => rule.has(kind),
    )
    for (const cause of found) begin(state, rule, { ...cause, at: now, lastAt: now, count: 1 })
    const isFound = ({ kind, subject }: Firing): boolean =>
      found.some((cause) => cause.kind === kind && (cause.subject === subject || subject === ''))
    for (const firing of Object.values(state.firing)) {
      const isUnknown = firing.kind === 'backlog_age' && evaluation.backlogMs === undefined
      if (firing.rule === rule.id && kinds[firing.kind].isJudged && !isFound(firing) && !isUnknown) end(firing, now)
    }
  }
  for (const firing of Object.values(state.firing)) if (firing.until !== undefined && firing.until <= now) end(firing, now)
  forgetOthers(state, rules, now)
}

const applyRefused = (state: AlertState, rule: AlertRule, refused: SignalBatch['refused'], now: number): void => {
  const kind = 'refused_signatures'
  for (const [route, { inMinute, fresh }] of refused) {
    if (inMinute <= rule.refusedPerMinute) continue
    // A minute covers two evaluations, so an alert that fires already has counted the older half.
    const count = state.firing[alertKey(rule.id, kind, route)] ? fresh : Math.max(inMinute, fresh)
    begin(state, rule, { kind, subject: route, at: now, lastAt: now, count, detail: `${inMinute} in a minute` })
  }
}

const applySignal = (state: AlertState, rule: AlertRule, signal: Signal): void => {
  const { kind, subject, firstAt, lastAt, count, detail, isOver, target } = signal
  // Where a message of this rule has failed, the rule does not alert of the targets that it sends to: that message would fail, too.
  const isOwnFailure =
    target !== undefined && state.messages.some(({ rule: of, tries }) => of === rule.id && tries > 0) && goesTo(rule, target)
  if (count > 0 && !isOwnFailure) begin(state, rule, { kind, subject, at: firstAt, lastAt, count, detail })
  const firing = isOver && state.firing[alertKey(rule.id, kind, subject)]
  if (firing) end(firing, lastAt)
}

const goesTo = (rule: AlertRule, target: string): boolean => deliveriesOf(rule.destination).some((delivery) => delivery.target === target)

/** A cause of an alert. `lastAt`: the time from which the quiet time of the alert counts. */
type Cause = {
  readonly kind: AlertKind
  readonly subject: string
  readonly at: number
  readonly lastAt: number
  readonly count: number
  readonly detail?: string | undefined
}

/**
 * Lets an alert fire, or adds the cause to the alert that fires already. Past `maxFiring` alerts, the cause of a new alert is added to the
 * alert of its kind without a subject.
 */
const begin = (state: AlertState, rule: AlertRule, cause: Cause): void => {
  const { kind, subject, at, lastAt, count, detail } = cause
  const key = alertKey(rule.id, kind, subject)
  const isFull = Object.keys(state.firing).length >= maxFiring
  if (!state.firing[key] && isFull && subject !== '') {
    begin(state, rule, { ...cause, subject: '' })
    return
  }
  const firing: Firing = state.firing[key] ?? { rule: rule.id, kind, subject, since: at, count: 0, changedAt: at, isTold: false }
  state.firing[key] = firing
  // An alert whose end was not reported yet goes on, as if it had not ended.
  delete firing.endedAt
  firing.count += kinds[kind].isJudged ? 0 : count
  if (detail !== undefined) firing.detail = detail
  const { quietMs } = kinds[kind]
  if (quietMs !== undefined) firing.until = lastAt + quietMs
}

const end = (firing: Firing, at: number): void => {
  if (firing.endedAt !== undefined) return
  firing.endedAt = at
  if (firing.isTold) firing.changedAt = at
}

type Found = Pick<Firing, 'kind' | 'subject'> & { readonly detail: string }

const backlogOf = (rule: AlertRule, { backlogMs = 0 }: AlertEvaluation): Found[] =>
  backlogMs < rule.backlogMs ? [] : [{ kind: 'backlog_age', subject: '', detail: `the oldest one for ${spanText(backlogMs)}` }]

/**
 * Adds the passed time to the silence of each watched route whose calendar counts the present time. Returns the routes that have been
 * silent for too long.
 */
const silenceOf = (state: AlertState, rule: AlertRule, { now, passedMs, hasRoute }: AlertEvaluation): Found[] =>
  rule.silence.flatMap((watched): Found[] => {
    if (!hasRoute(watched.route)) return []
    const key = watchKey(rule, watched)
    const silentMs = (state.silentMs[key] ?? 0) + (watched.calendar(now) ? passedMs : 0)
    state.silentMs[key] = Math.round(silentMs)
    if (silentMs < watched.afterMs) return []
    return [{ kind: 'silence', subject: watched.route, detail: `for ${spanText(watched.afterMs)}` }]
  })

const certificatesOf = (rule: AlertRule, { now, certificates }: AlertEvaluation): Found[] =>
  certificates.flatMap(({ of, endsAt }): Found[] => {
    if (endsAt - now > rule.endsWithinMs) return []
    return [{ kind: 'certificate_ends', subject: of, detail: `on ${new Date(endsAt).toISOString().slice(0, 10)}` }]
  })

/** Names a watched route of a rule in the state. */
const watchKey = ({ id }: AlertRule, { route, afterMs }: WatchedRoute): string => `${id}/${route}/${afterMs}`

const forgetOthers = (state: AlertState, rules: readonly AlertRule[], now: number): void => {
  const ruleIds = new Set(rules.map(({ id }) => id))
  const watched = new Set(rules.flatMap((rule) => rule.silence.map((each) => watchKey(rule, each))))
  for (const [key, { rule, kind }] of Object.entries(state.firing)) {
    if (!rules.some(({ id, has }) => id === rule && has(kind))) delete state.firing[key]
  }
  for (const key of Object.keys(state.silentMs)) if (!watched.has(key)) delete state.silentMs[key]
  for (const [name, until] of Object.entries(state.muted)) if (until <= now) delete state.muted[name]
  for (const of of [state.sentAt, state.lost]) for (const rule of Object.keys(of)) if (!ruleIds.has(rule)) delete of[rule]
  state.messages = state.messages.filter(({ rule }) => ruleIds.has(rule))
}

/** Renders a span of time for people: `45 s`, `20 min`, `2.5 h`, `3 days`. */
const spanText = (ms: number): string => {
  const rounded = (unitMs: number): string => String(Math.round((ms / unitMs) * 10) / 10)
  if (ms < 60_000) return `${rounded(1_000)} s`
  if (ms < hourMs) return `${rounded(60_000)} min`
  return ms < 2 * dayMs ? `${rounded(hourMs)} h` : `${rounded(dayMs)} days`
}
