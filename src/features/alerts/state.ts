/** The state of alerts as it is kept over a restart: what fires, what was reported, and the messages that are still to be sent. */

import { type Json, own } from '../../core/json.ts'
import type { DeliveryProgress } from '../../core/new-run.ts'
import { isAlertState } from '../../generated/stored-checks.js'
import type { AlertNotice } from '../../parts/targets/target.ts'
import type { AlertKind } from './rules.ts'

/** An alert of a rule that fires, or that ended and whose end was not reported yet. Times are wall times, milliseconds. */
export type Firing = {
  readonly rule: string
  readonly kind: AlertKind
  /**
   * The route, job, target, certificate, or one of several gateways that the alert is about; empty where it is about the only gateway, the
   * backlog, or everything beyond `maxFiring`.
   */
  readonly subject: string
  readonly since: number
  /** How often its cause came since then; 0 for a kind that is judged anew at each regular check (`isJudged` in kinds.ts). */
  count: number
  detail?: string
  /** When the alert ends by itself, unless its cause comes again. */
  until?: number
  /** When the beginning or end came that was not reported yet. */
  changedAt: number
  /** Whether the beginning of the alert was reported. The stored state has this name. */
  isTold: boolean
  endedAt?: number
}

/** A message of a rule that its targets do not have yet. */
export type AlertMessage = {
  readonly id: string
  readonly rule: string
  readonly text: string
  /** Absent in a message that an earlier version made. */
  readonly alerts?: readonly AlertNotice[]
  /** The number of attempts that failed, and the time of the next one. */
  tries: number
  nextAt: number
  /** An attempt has begun: if nobody ends it, its text may have arrived. */
  isBegun?: boolean
  progress?: DeliveryProgress
}

export type AlertState = {
  /** By `alertKey`. */
  readonly firing: { [key: string]: Firing }
  /** How long each watched route has been silent, in milliseconds, by `watchKey`. */
  readonly silentMs: { [key: string]: number }
  /** Until when alerts are not reported, by their name, their kind, or `all`. */
  readonly muted: { [name: string]: number }
  /** When the messages of the last hour were made, by rule. */
  readonly sentAt: { [rule: string]: number[] }
  /** The number of messages that no target took, by rule, since a message was delivered. */
  readonly lost: { [rule: string]: number }
  messages: AlertMessage[]
}

/** The most alerts at once. What begins beyond that is one alert of its kind, without a subject. */
export const maxFiring = 500

export const emptyState = (): AlertState => ({ firing: {}, silentMs: {}, muted: {}, sentAt: {}, lost: {}, messages: [] })

export const alertKey = (rule: string, kind: AlertKind, subject: string): string => `${rule}/${kind}/${subject}`

/** Returns the name by which people call an alert: `dead_run:orders`, or the kind alone. */
export const alertName = ({ kind, subject }: Pick<Firing, 'kind' | 'subject'>): string => (subject === '' ? kind : `${kind}:${subject}`)

/** Whether an alert is muted now. */
export const isMuted = ({ muted }: AlertState, alert: Firing, now: number): boolean =>
  ['all', alert.kind, alertName(alert)].some((name) => (own(muted, name) ?? 0) > now)

/** Parses a kept state. Returns an empty state where the text is damaged, so its alerts are reported again. */
export const parseState = (text: string): AlertState => {
  try {
    const value: Json = JSON.parse(text)
    return isAlertState(value) ? (value as unknown as AlertState) : emptyState()
  } catch {
    return emptyState()
  }
}
