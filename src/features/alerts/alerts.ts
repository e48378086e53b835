/**
 * The alerts of a gateway: an observer of facts that evaluates each half minute which alerts begin and which are over, and sends messages.
 * Of several gateways on a shared store, only the leader sends. Commands ask the alerts what fires, and let them send a test message or
 * mute a rule.
 */

import type { Clock } from '../../core/clock.ts'
import type { Observer } from '../../core/facts/facts.ts'
import { messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import { type Repeating, repeat } from '../../core/turns/repeat.ts'
import type { Alert, Alerts as AlertsView, AlertTested } from '../../generated/control.ts'
import { servedAs } from '../../plan/table.ts'
import type { ServedConfig } from '../feature.ts'
import { type CertificateEnd, readCertificates } from './certificates.ts'
import { AlertDelivery } from './delivery.ts'
import { type AlertEvaluation, judgeAll, judgeHeard } from './judge.ts'
import type { AlertMemory } from './memory.ts'
import { makeMessages } from './messages.ts'
import { type AlertRule, compileAlerts } from './rules.ts'
import { Signals } from './signals.ts'
import { type AlertState, alertName, emptyState, isMuted } from './state.ts'

export type AlertsOptions = {
  readonly clock: Clock
  readonly log: Log
  readonly redact: (text: string) => string
  readonly memory: AlertMemory
  readonly current: () => ServedConfig
  /**
   * Resolves to the time since the oldest run that is neither done nor dead was accepted, in milliseconds; 0 without any. Rejects where the
   * store does not answer.
   */
  readonly oldestMs: () => Promise<number>
  readonly isShared: boolean
}

const evaluateEveryMs = 30_000
/**
 * The most of the time between two evaluations that counts as silence. A longer time means that the process was stopped or an evaluation
 * was held up, so it says nothing about senders. The first evaluation of a process counts no silence.
 */
const longestGapMs = 2 * evaluateEveryMs
const readCertificatesEveryMs = 3_600_000

export class Alerts implements Observer<'alerts'> {
  readonly #options: AlertsOptions
  readonly #signals: Signals
  readonly #delivery: AlertDelivery
  #state: AlertState = emptyState()
  #compiled: { readonly live: ServedConfig; readonly rules: readonly AlertRule[] } | undefined
  #certificates: { readonly live: ServedConfig; readonly at: number; readonly ends: readonly CertificateEnd[] } | undefined
  #evaluatedAt: number | undefined
  readonly #evaluating: Repeating
  #isClosed = false
  #isFailing = false

  constructor(options: AlertsOptions) {
    const { clock, log, current } = options
    const memory = inTurn(options.memory)
    this.#options = { ...options, memory }
    this.#signals = new Signals(options)
    this.#delivery = new AlertDelivery({
      clock,
      log,
      memory,
      send: (outgoing, { spec }) => current().base.send(outgoing, spec),
      repeatable: (target) => current().catalogue.targets.get(target)?.repeatable ?? false,
    })
    this.#evaluating = repeat(clock, evaluateEveryMs, () => this.#evaluate(), { first: 'soon' })
  }

  get handlers(): Signals['handlers'] {
    return this.#signals.handlers
  }

  /** Resolves when the check of the alerts that is in progress has ended; at once where no check is in progress. */
  idle(): Promise<void> {
    return this.#evaluating.idle()
  }

  /** Returns what fires, what is muted, and what could not be delivered. `undefined`: no alerts are configured. */
  view(): AlertsView | undefined {
    const { current, clock } = this.#options
    const rules = this.#rulesOf(current())
    if (rules.length === 0) return undefined
    const state = this.#state
    const numberOf = (id: string): number => rules.find((rule) => rule.id === id)?.number ?? 0
    const fires = Object.values(state.firing).filter(({ rule, endedAt }) => numberOf(rule) > 0 && endedAt === undefined)
    return {
      firing: fires.map((firing): Alert => {
        const { rule, kind, since, count, detail, isTold: told } = firing
        const muted = isMuted(state, firing, clock.now())
        const about = { name: alertName(firing), kind, rule: numberOf(rule), since: new Date(since).toISOString() }
        return { ...about, count, told, muted, ...(detail === undefined ? {} : { detail }) }
      }),
      muted: Object.entries(state.muted).map(([name, until]) => ({ name, until: new Date(until).toISOString() })),
      lost: Object.entries(state.lost).map(([rule, messages]) => ({ rule: numberOf(rule), messages })),
    }
  }

  /**
   * Sends a test message to the targets of the rule with this number, or of all rules. Resolves to an empty list where there is no such
   * rule.
   */
  async test(number: number | undefined): Promise<readonly AlertTested[]> {
    const rules = this.#rulesOf(this.#options.current()).filter((rule) => number === undefined || rule.number === number)
    return (await Promise.all(rules.map((rule) => this.#delivery.test(rule)))).flat()
  }

  /** Mutes the alerts of a name for `ms` milliseconds; 0 ends the mute. `false`: no alerts are configured. Rejects with a StoreFault. */
  async mute(name: string, ms: number): Promise<boolean> {
    const { memory, clock, current } = this.#options
    if (this.#rulesOf(current()).length === 0) return false
    this.#state = await memory.update((state) => {
      delete state.muted[name]
      if (ms > 0) state.muted[name] = clock.now() + ms
    })
    return true
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#evaluating.stop()
    await this.#delivery.close()
  }

  async #evaluate(): Promise<void> {
    const { memory, current, log } = this.#options
    const rules = this.#rulesOf(current())
    const evaluation = await this.#gather()
    try {
      const isLeader = await memory.lead()
      this.#state = await memory.update((state) => {
        judgeHeard(state, evaluation)
        if (!isLeader) return
        judgeAll(state, evaluation)
        makeMessages(state, rules, evaluation.now)
      })
      if (isLeader && !this.#isClosed) this.#delivery.begin(this.#state, rules)
      this.#isFailing = false
    } catch (error) {
      this.#signals.giveBack(evaluation)
      if (!this.#isFailing) log('warn', { reason: messageOf(error) }, 'alerts cannot be judged now')
      this.#isFailing = true
    }
  }

  /** Takes the signals, and reads what no fact reports: the age of the backlog and the certificates. */
  async #gather(): Promise<AlertEvaluation> {
    const { clock, current, oldestMs } = this.#options
    const live = current()
    const rules = this.#rulesOf(live)
    const [now, monotonic] = [clock.now(), clock.monotonic()]
    const passedMs = this.#evaluatedAt === undefined ? 0 : Math.min(longestGapMs, monotonic - this.#evaluatedAt)
    this.#evaluatedAt = monotonic
    const has = (kind: 'backlog_age' | 'certificate_ends'): boolean => rules.some((rule) => rule.has(kind))
    return {
      backlogMs: has('backlog_age') ? await oldestMs().catch(() => undefined) : undefined,
      certificates: has('certificate_ends') ? this.#certificatesOf(live, monotonic) : [],
      ...this.#signals.take(),
      now,
      passedMs,
      rules,
      hasRoute: (name) => servedAs(live.table, name) !== undefined,
    }
  }

  #rulesOf(live: ServedConfig): readonly AlertRule[] {
    if (this.#compiled?.live !== live) this.#compiled = { live, rules: compileAlerts(live.config, live.catalogue.targets).rules }
    return this.#compiled.rules
  }

  /** Returns the certificates of a configuration. They are read anew each hour, because their files may be replaced without a reload. */
  #certificatesOf(live: ServedConfig, at: number): readonly CertificateEnd[] {
    const known = this.#certificates
    if (known?.live === live && at - known.at < readCertificatesEveryMs) return known.ends
    const ends = readCertificates(live.config)
    this.#certificates = { live, at, ends }
    return ends
  }
}

/** Makes the changes of a memory one after the other, so that each begins with the result of the one before. */
const inTurn = (memory: AlertMemory): AlertMemory => {
  let last: Promise<unknown> = Promise.resolve()
  return {
    lead: () => memory.lead(),
    update(change) {
      const next = last.then(
        () => memory.update(change),
        () => memory.update(change),
      )
      last = next
      return next
    },
  }
}
