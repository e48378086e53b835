/** Makes messages of the alerts that began or ended: those of a minute become one message of their rule. */

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { hourMs } from '../../core/clock.ts'
import type { AlertNotice } from '../../parts/targets/target.ts'
import { kinds } from './kinds.ts'
import type { AlertRule } from './rules.ts'
import { type AlertState, alertName, type Firing, isMuted } from './state.ts'

/** How long a change waits for further changes, which then go out with it. */
const groupMs = 60_000
/** The most lines of a message. What is beyond them is only counted. */
const maxLines = 20

/**
 * Adds a message for each rule with a change that waits long enough, unless the hour's messages are used up or a message is still to be
 * sent.
 */
export const makeMessages = (state: AlertState, rules: readonly AlertRule[], now: number): void => {
  for (const rule of rules) {
    const changes = changesOf(state, rule, now)
    const firstAt = Math.min(...changes.map(({ changedAt }) => changedAt))
    const sentAt = (state.sentAt[rule.id] ?? []).filter((at) => at > now - hourMs)
    const isOnItsWay = state.messages.some((message) => message.rule === rule.id)
    if (now - firstAt < groupMs || changes.length === 0 || isOnItsWay || sentAt.length >= rule.maxPerHour) continue
    const text = [headOf(changes), ...linesOf(changes), ...notesOf(state, rule, now - firstAt)].join('\n')
    state.messages.push({ id: `alert-${randomUUID()}`, rule: rule.id, text, alerts: changes.map(noticeOf), tries: 0, nextAt: now })
    state.sentAt[rule.id] = [...sentAt, now]
    for (const firing of changes) firing.isTold = true
    forgetEnded(state, changes)
  }
}

/**
 * Returns the alerts of a rule whose beginning or end is to be reported. An alert that began and ended while it was muted is never
 * reported.
 */
const changesOf = (state: AlertState, rule: AlertRule, now: number): readonly Firing[] => {
  const changed = Object.values(state.firing).filter(
    (firing) => firing.rule === rule.id && (!firing.isTold || firing.endedAt !== undefined),
  )
  const isQuiet = (firing: Firing): boolean => isMuted(state, firing, now)
  forgetEnded(
    state,
    changed.filter((firing) => isQuiet(firing) && !firing.isTold),
  )
  return changed.filter((firing) => !isQuiet(firing))
}

const forgetEnded = (state: AlertState, among: readonly Firing[]): void => {
  for (const [key, firing] of Object.entries(state.firing))
    if (firing.endedAt !== undefined && among.includes(firing)) delete state.firing[key]
}

const headOf = (changes: readonly Firing[]): string => {
  const over = changes.filter(({ endedAt }) => endedAt !== undefined).length
  const begun = changes.length - over
  const counts = [...(begun > 0 ? [`${begun} ${begun === 1 ? 'alert' : 'alerts'}`] : []), ...(over > 0 ? [`${over} over`] : [])]
  return `headgate on ${hostname()}: ${counts.join(', ')}`
}

const linesOf = (changes: readonly Firing[]): readonly string[] => {
  const more = changes.length - maxLines
  return [...changes.slice(0, maxLines).map(lineOf), ...(more > 0 ? [`and ${more} more: headgate alerts list`] : [])]
}

const lineOf = (firing: Firing): string => {
  const { began, over, more } = kinds[firing.kind]
  const since = `since ${minuteText(firing.since)}`
  if (firing.endedAt === undefined) return `ALERT ${alertName(firing)}: ${began(firing)}. ${since}. headgate ${more(firing.subject)}`
  // A beginning that was not reported yet is reported with the end.
  const beginning = firing.isTold ? '' : `${began(firing)}; `
  return `OVER ${alertName(firing)}: ${beginning}${over(firing)}. ${since}, until ${minuteText(firing.endedAt)}`
}

const noticeOf = (firing: Firing): AlertNotice => {
  const { kind, endedAt } = firing
  const { severity, began, over } = kinds[kind]
  const [state, tell] = endedAt === undefined ? (['firing', began] as const) : (['resolved', over] as const)
  return { kind, severity, key: alertName(firing), state, summary: tell(firing) }
}

/** Returns the sentences about earlier messages that no target took, and about a long wait of the present message. */
const notesOf = (state: AlertState, rule: AlertRule, waitedMs: number): readonly string[] => {
  const lost = state.lost[rule.id] ?? 0
  return [
    ...(lost > 0 ? [`${lost} earlier ${lost === 1 ? 'message' : 'messages'} could not be delivered: headgate alerts list`] : []),
    ...(waitedMs > 5 * groupMs ? [`Some of this has waited: there are at most ${rule.maxPerHour} messages an hour, one at a time`] : []),
  ]
}

const minuteText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
