/** The options that select events, and the criteria that the texts of these options mean. */

import { exit, Fault, usage } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'
import type { FieldCriterion } from '../../operate/events/event-search.ts'
import { type EventCriteria, type EventState, states } from '../../operate/events/event-selection.ts'
import { checkOutcomes } from '../../operate/events/selection-words.ts'
import { timeOf } from '../shell/times.ts'

/** The values of the options that select events, as the user wrote them. */
export type SelectionOptions = {
  readonly route?: string
  readonly outcome?: readonly string[]
  readonly state?: readonly string[]
  readonly since?: string
  readonly until?: string
  readonly job?: string
  readonly profile?: string
  readonly deliveryId?: string
  readonly text?: string
  readonly field?: readonly string[]
  readonly limit?: number
}

/** The options that select a page. `cursor`: the last event of the previous page. */
export type PageOptions = SelectionOptions & { readonly cursor?: string }

/** Returns the criteria that the options mean. Throws a usage Fault for an option without a possible meaning. */
export const criteriaOf = ({ state, since, until, field, ...others }: PageOptions): EventCriteria => {
  checkOutcomes(others.outcome)
  if (others.text === '') throw usage('--text: which words?')
  return {
    ...others,
    ...(state === undefined ? {} : { state: state.map(parseState) }),
    ...(field === undefined ? {} : { field: field.map(parseField) }),
    ...(since === undefined ? {} : { since: timeOf('--since', since) }),
    ...(until === undefined ? {} : { until: timeOf('--until', until) }),
  }
}

const parseField = (written: string): FieldCriterion => {
  const end = written.indexOf('=')
  if (end < 1) throw usage(`--field ${written}: it must be a path=value`, 'a path as in filters: payload.action=opened')
  return { path: written.slice(0, end), value: written.slice(end + 1) }
}

const parseState = (word: string): EventState => {
  const found = states.find((state) => state === word)
  if (found !== undefined) return found
  const hint = `one of ${states.join(', ')}`
  throw new Fault('usage', `--state: there is no state "${word}"`, { exitCode: exit.usage, suggest: nearest(word, states), hint })
}
