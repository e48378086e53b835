/** An observer that collects the causes and the ends of alerts from facts, until the next evaluation takes these causes and ends. */

import { hostname } from 'node:os'
import { defaultProfile } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Fact, RequestEnded } from '../../core/facts/fact.ts'
import type { Observer } from '../../core/facts/facts.ts'
import { isTakenOutcome } from '../../core/outcome-table.ts'
import { excerpt, printable } from '../../core/text.ts'
import type { AlertKind } from './rules.ts'

/** The causes of one alert since the last evaluation, and its end. Times are wall times, milliseconds. */
export type Signal = {
  readonly kind: AlertKind
  readonly subject: string
  /**
   * When facts reported the cause of the alert, or its end, first and last. For an open breaker, `lastAt` is the time of its next trial.
   */
  readonly firstAt: number
  lastAt: number
  /** How often facts reported the cause. 0: they reported only the end of the alert. */
  count: number
  detail?: string
  /** Whether the alert is over, by the last fact about it. */
  isOver: boolean
  readonly target?: string
}

/**
 * The refused signatures of a route: in the last minute, and since the last evaluation whose result was stored. Where the
 * results of evaluations could not be stored, `inMinute` is the highest number of a minute since then.
 */
export type RefusedCount = { readonly inMinute: number; readonly fresh: number }

/**
 * The signals since the last evaluation. `refused`: by route. `accepted`: the routes that accepted an event, delivered it directly or added
 * it to a group; replays do not count.
 */
export type SignalBatch = {
  readonly signals: readonly Signal[]
  readonly refused: ReadonlyMap<string, RefusedCount>
  readonly accepted: ReadonlySet<string>
}

/** The most alerts, and the most routes with refused signatures, that are counted separately between two evaluations. */
const maxSubjects = 1_000
const maxReasonChars = 160

type SignalsOptions = {
  readonly clock: Pick<Clock, 'now'>
  /** Removes known secrets from a text. */
  readonly redact: (text: string) => string
  /** Whether other gateways share the alerts. Then an alert about a gateway names its machine. */
  readonly isShared: boolean
}

type BreakerChanged = Extract<Fact, { readonly kind: 'breaker_changed' }>
type Cause = { readonly profile: string; readonly route: string; readonly job?: string | undefined }

export class Signals implements Observer<'alerts'> {
  readonly handlers: Observer<'alerts'>['handlers'] = {
    request_ended: (fact) => this.#request(fact),
    attempt_committed: ({ run }) => {
      if (run.end.kind === 'dead') this.#cause('dead_run', causeName(run), run.end.error)
    },
    budget_used_up: ({ cause, key }) => this.#cause('budget_used_up', causeName(cause), `budget.${key}`),
    payload_mismatched: (fact) => this.#cause('payload_mismatch', causeName(fact), fact.why),
    breaker_changed: (fact) => this.#breaker(fact),
    config_refused: () => this.#cause('reload_refused', this.#machine),
    config_replaced: () => this.#over('reload_refused', this.#machine),
    certificates_refused: ({ reason }) => this.#cause('reload_refused', this.#machine, reason),
    certificates_replaced: () => this.#over('reload_refused', this.#machine),
    readiness_changed: ({ reason }) => {
      if (reason === undefined) this.#over('not_ready', this.#machine)
      else this.#cause('not_ready', this.#machine, reason)
    },
  }
  readonly #options: SignalsOptions
  /** The machine, for alerts about one of several gateways; otherwise empty. */
  readonly #machine: string
  #signals = new Map<string, Signal>()
  #refused = new Map<string, number>()
  #refusedBefore: ReadonlyMap<string, number> = new Map()
  /** The refused signatures that earlier evaluations took and could not keep, by route. */
  #unkept: ReadonlyMap<string, RefusedCount> = new Map()
  #accepted = new Set<string>()

  constructor(options: SignalsOptions) {
    this.#options = options
    this.#machine = options.isShared ? hostname() : ''
    // A gateway that starts has taken its files, and has its store.
    this.#over('reload_refused', this.#machine)
    this.#over('not_ready', this.#machine)
  }

  /** Returns the signals, refused signatures and accepted events that facts reported since the last call. */
  take(): SignalBatch {
    const refused = new Map(
      [...this.#refusedBefore.keys(), ...this.#refused.keys(), ...this.#unkept.keys()].map((route): [string, RefusedCount] => {
        const fresh = this.#refused.get(route) ?? 0
        const inMinute = fresh + (this.#refusedBefore.get(route) ?? 0)
        const unkept = this.#unkept.get(route)
        return [route, unkept ? { inMinute: Math.max(inMinute, unkept.inMinute), fresh: fresh + unkept.fresh } : { inMinute, fresh }]
      }),
    )
    const heard = { signals: [...this.#signals.values()], refused, accepted: this.#accepted }
    this.#refusedBefore = this.#refused
    this.#refused = new Map()
    this.#unkept = new Map()
    this.#signals = new Map()
    this.#accepted = new Set()
    return heard
  }

  /** Takes back what could not be kept, so that the next evaluation gets it. */
  giveBack({ signals, accepted, refused }: SignalBatch): void {
    const later = [...this.#signals.values()]
    this.#signals = new Map(signals.map((signal) => [keyOf(signal), signal]))
    for (const signal of later) this.#add(signal)
    for (const route of accepted) this.#accepted.add(route)
    // When one evaluation after the other fails, the batch may name ever more routes. The newest are kept.
    this.#unkept = new Map([...refused].slice(-maxSubjects))
  }

  #request({ ended: { outcome }, route, replay }: RequestEnded): void {
    if (isTakenOutcome(outcome)) {
      // Only routes that are served accept an event, so their number is bounded.
      if (!replay) this.#accepted.add(outcome.route)
    } else if (outcome.kind === 'refused' && outcome.code === 'delivery_failed' && route) {
      this.#cause('delivery_failed', causeName({ profile: route.profile, route: route.name }), outcome.detail)
    } else if (outcome.kind === 'refused' && outcome.code === 'bad_signature' && route) {
      const name = this.#refused.has(route.name) || this.#refused.size < maxSubjects ? route.name : ''
      this.#refused.set(name, (this.#refused.get(name) ?? 0) + 1)
    }
  }

  #breaker({ target, address, state, reason, retryAt, isAsked }: BreakerChanged): void {
    // A receiver that asks to wait is not down.
    if (isAsked) return
    const receiver = address === '' ? target : `${target} (${printable(address, 100)})`
    // Where several gateways share a store, each has breakers of its own. So the subject of the alert names the machine, and the alert ends
    // when this gateway's breaker closes.
    const subject = this.#machine === '' ? receiver : `${receiver} on ${this.#machine}`
    if (state === 'closed') this.#over('breaker_open', subject)
    if (state === 'open')
      this.#cause('breaker_open', subject, reason, { target, lastAt: Math.max(this.#options.clock.now(), retryAt ?? 0) })
  }

  #cause(kind: AlertKind, subject: string, reason?: string, more: { readonly target?: string; readonly lastAt?: number } = {}): void {
    const at = this.#options.clock.now()
    // Secrets are redacted before the text is cut, because half a secret would not be recognised.
    const detail = reason === undefined ? {} : { detail: printable(excerpt(this.#options.redact(reason), maxReasonChars)) }
    this.#add({ kind, subject, firstAt: at, lastAt: at, count: 1, isOver: false, ...detail, ...more })
  }

  #over(kind: AlertKind, subject: string): void {
    const at = this.#options.clock.now()
    this.#add({ kind, subject, firstAt: at, lastAt: at, count: 0, isOver: true })
  }

  #add(signal: Signal): void {
    const known = this.#signals.get(keyOf(signal))
    if (known) {
      known.count += signal.count
      known.lastAt = signal.lastAt
      known.isOver = signal.isOver
      if (signal.detail !== undefined) known.detail = signal.detail
    } else if (this.#signals.size < maxSubjects) this.#signals.set(keyOf(signal), signal)
    // Past the bound, all further alerts of a kind become one alert without a subject.
    else if (signal.subject !== '' && !signal.isOver) this.#add({ ...signal, subject: '' })
  }
}

const keyOf = ({ kind, subject }: Pick<Signal, 'kind' | 'subject'>): string => `${kind}/${subject}`

/** Names the route or the job behind a run. */
const causeName = ({ profile, route, job }: Cause): string => {
  const name = job === undefined ? route : `job ${job}`
  return profile === defaultProfile ? name : `${profile}/${name}`
}
