/** The options that select events, and what their texts mean. */

import { type EventCriteria, type State, states } from '../../app/events/event-selection.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'

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

/** Throws a usage Fault for what cannot be meant. */
export const criteriaOf = ({ state, since, until, ...others }: PageOptions): EventCriteria => ({
  ...others,
  ...(state === undefined ? {} : { state: state.map(stateOf) }),
  ...(since === undefined ? {} : { since: timeOf('--since', since) }),
  ...(until === undefined ? {} : { until: timeOf('--until', until) }),
})

const stateOf = (word: string): State => {
  const found = states.find((state) => state === word)
  if (found !== undefined) return found
  const hint = `one of ${states.join(', ')}`
  throw new Fault('usage', `--state: there is no state "${word}"`, { exitCode: exit.usage, suggest: nearest(word, states), hint })
}

const unitsMs: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time in milliseconds since 1970, written as ISO 8601 or as how long ago: `10m`. */
const timeOf = (option: string, text: string): number => {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return Date.now() - Number(count) * (unitsMs[unit] ?? 0)
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isFinite(time)) return time
  throw usage(`${option}: "${text}" is not a time`, 'write 90s, 10m, 2h or 3d, or a time like 2026-03-01T12:00:00Z')
}
