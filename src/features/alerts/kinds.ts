/** The kinds of alerts: the words for each, and how long its cause must stay away until an alert that nothing else ends is over. */

import { hourMs, minuteMs } from '../../core/clock.ts'
import type { AlertNotice } from '../../parts/targets/target.ts'
import type { AlertKind } from './rules.ts'
import type { Firing } from './state.ts'

type KindOfAlert = {
  readonly severity: AlertNotice['severity']
  /** How long a cause must stay away until its alert is over, in milliseconds. Absent where only a fact or an evaluation ends the alert. */
  readonly quietMs?: number
  /** Whether each evaluation decides anew whether such alerts fire. */
  readonly isJudged?: true
  readonly began: (alert: Pick<Firing, 'subject' | 'count' | 'detail'>) => string
  readonly over: (alert: Pick<Firing, 'subject'>) => string
  /** The command that shows more, without the name of the program. */
  readonly more: (subject: string) => string
}

const ofRuns = (subject: string): string => (subject === '' ? '' : ` of ${subject}`)
/** Returns the options of `events list` for the runs of a route or job, which a subject names as `causeName` in signals.ts does. */
const optionsOf = (subject: string): string => {
  const slash = subject.indexOf('/')
  const name = subject.slice(slash + 1)
  const profile = slash > 0 ? ` --profile ${subject.slice(0, slash)}` : ''
  if (name === '') return profile
  return name.startsWith('job ') ? `${profile} --job ${name.slice(4)}` : `${profile} --route ${name}`
}
const reason = (detail: string | undefined): string => (detail === undefined ? '' : `, the last: ${detail}`)
const because = (detail: string | undefined): string => (detail === undefined ? '' : `: ${detail}`)

export const kinds: { readonly [kind in AlertKind]: KindOfAlert } = {
  dead_run: {
    severity: 'error',
    quietMs: hourMs,
    began: ({ subject, count, detail }) =>
      `${count === 1 ? 'a run' : `${count} runs`}${ofRuns(subject)} ${count === 1 ? 'is' : 'are'} dead${reason(detail)}`,
    over: ({ subject }) => `no further run${ofRuns(subject)} has been dead for an hour`,
    more: (subject) => `events list --state dead${optionsOf(subject)}`,
  },
  delivery_failed: {
    severity: 'error',
    quietMs: hourMs,
    began: ({ subject, count, detail }) =>
      `${count === 1 ? 'a direct delivery' : `${count} direct deliveries`}${ofRuns(subject)} failed${reason(detail)}`,
    over: ({ subject }) => `no further direct delivery${ofRuns(subject)} has failed for an hour`,
    more: (subject) => `events list --outcome delivery_failed${optionsOf(subject)}`,
  },
  breaker_open: {
    severity: 'error',
    // An open breaker tells of each trial. Where nothing is heard of it any more, its gateway is gone.
    quietMs: hourMs,
    began: ({ subject, detail }) => `the target ${subject} fails, and its deliveries wait${because(detail)}`,
    over: ({ subject }) => `the deliveries to the target ${subject} wait no more`,
    more: () => 'targets list',
  },
  refused_signatures: {
    severity: 'warning',
    quietMs: 10 * minuteMs,
    began: ({ subject, detail }) => `the route ${subject} refuses signatures${because(detail)}`,
    over: ({ subject }) => `the route ${subject} refuses few signatures or none`,
    more: (subject) => `events list --outcome bad_signature --route ${subject}`,
  },
  backlog_age: {
    severity: 'error',
    isJudged: true,
    began: ({ detail }) => `runs wait for too long${because(detail)}`,
    over: () => 'no run waits for too long',
    more: () => 'gateway status',
  },
  budget_used_up: {
    severity: 'warning',
    quietMs: hourMs,
    began: ({ subject, detail }) => `a budget${ofRuns(subject)} is used up${because(detail)}`,
    over: ({ subject }) => `no run${ofRuns(subject)} has met a used-up budget for an hour`,
    more: (subject) => `events list${optionsOf(subject)}`,
  },
  reload_refused: {
    severity: 'warning',
    began: ({ subject, detail }) =>
      `a reload${subject === '' ? '' : ` on ${subject}`} refused the files: those before them stay in use${detail === undefined ? '' : ` (${detail})`}`,
    over: ({ subject }) => `the files${subject === '' ? '' : ` on ${subject}`} are in use`,
    more: () => 'gateway status',
  },
  not_ready: {
    severity: 'critical',
    began: ({ subject, detail }) => `the gateway${subject === '' ? '' : ` on ${subject}`} takes no events${because(detail)}`,
    over: ({ subject }) => `the gateway${subject === '' ? '' : ` on ${subject}`} takes events again`,
    more: () => 'gateway status',
  },
  silence: {
    severity: 'warning',
    isJudged: true,
    began: ({ subject, detail }) => `the route ${subject} has had no accepted event${because(detail)}`,
    over: ({ subject }) => `the route ${subject} has events again`,
    more: (subject) => `events list --route ${subject}`,
  },
  certificate_ends: {
    severity: 'warning',
    isJudged: true,
    began: ({ subject, detail }) => `the certificate of ${subject} ends soon${because(detail)}`,
    over: ({ subject }) => `the certificate of ${subject} was replaced`,
    more: () => 'alerts list',
  },
  payload_mismatch: {
    severity: 'warning',
    quietMs: hourMs,
    began: ({ subject, count, detail }) =>
      `${count === 1 ? 'a payload' : `${count} payloads`}${ofRuns(subject)} ${count === 1 ? 'does' : 'do'} not fit its schema${reason(detail)}`,
    over: ({ subject }) => `all payloads${ofRuns(subject)} have fitted its schema for an hour`,
    more: (subject) => `events list${optionsOf(subject)}`,
  },
}
