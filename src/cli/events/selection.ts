/** Which events a command is about: the options that select them, and what they mean. */

import { exit, Fault, usage } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'
import type { EventView } from '../../journal/record.ts'

export type SelectionOptions = {
  readonly route?: string
  readonly outcome?: readonly string[]
  readonly state?: readonly string[]
  readonly since?: string
  readonly until?: string
  readonly job?: string
  readonly profile?: string
  readonly limit?: number
}

/** The selection of a page: it goes on after the event where the page before it ended. */
export type PageOptions = SelectionOptions & { readonly cursor?: string }

/** The journal's words, and what only a running gateway can tell of one that waits. */
export const states = ['final', 'waiting', 'running', 'done', 'dead', 'merged', 'unknown'] as const
export type State = (typeof states)[number]

/** What a running gateway may say of an event that has no end in the journal. */
const live: ReadonlySet<string> = new Set(['waiting', 'running', 'dead', 'unknown'])

export type Selection = {
  /** By what the journal says; of events that wait, all that may turn out to fit. */
  readonly fits: (event: EventView) => boolean
  /** By the state, once it is known. */
  readonly fitsState: (state: State) => boolean
  /** `fits` lets through what `fitsState` may refuse. */
  readonly isLive: boolean
  /** Milliseconds since 1970. */
  readonly since: number | undefined
  readonly limit: number
  readonly cursor: string | undefined
}

/** Throws a usage Fault for what cannot be meant. */
export const selectionOf = (options: PageOptions, defaultLimit: number): Selection => {
  const { route, job, profile, outcome, state } = options
  for (const word of state ?? []) checkState(word)
  const since = timeOf('--since', options.since)
  const until = timeOf('--until', options.until)
  const asked = state && new Set(state)
  const mayWait = state?.some((word) => live.has(word)) ?? true
  return {
    fits: (event) =>
      (route === undefined || event.route === route) &&
      (job === undefined || event.job === job) &&
      (profile === undefined || event.profile === profile) &&
      (since === undefined || Date.parse(event.at) >= since) &&
      (until === undefined || Date.parse(event.at) < until) &&
      (outcome === undefined || outcome.some((word) => word === event.outcome || word === `${event.outcome}:${event.stage}`)) &&
      (asked === undefined || asked.has(event.state) || (event.state === 'waiting' && mayWait)),
    isLive: asked !== undefined && mayWait,
    fitsState: (found) => asked === undefined || asked.has(found),
    since,
    limit: options.limit ?? defaultLimit,
    cursor: options.cursor,
  }
}

const checkState = (word: string): void => {
  if (states.some((state) => state === word)) return
  const hint = `one of ${states.join(', ')}`
  throw new Fault('usage', `--state: there is no state "${word}"`, { exitCode: exit.usage, suggest: nearest(word, states), hint })
}

const unitsMs: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time in milliseconds since 1970, written as ISO 8601 or as how long ago: `10m`. */
const timeOf = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return Date.now() - Number(count) * (unitsMs[unit] ?? 0)
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isFinite(time)) return time
  throw usage(`${option}: "${text}" is not a time`, 'write 90s, 10m, 2h or 3d, or a time like 2026-03-01T12:00:00Z')
}
