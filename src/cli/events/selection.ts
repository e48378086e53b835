/** The options that select events, and what their texts mean. */

import { type EventCriteria, type State, states } from '../../app/events/event-selection.ts'
import { checkOutcomes } from '../../app/events/known-words.ts'
import { exit, Fault } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'
import { timeOf } from '../shell/times.ts'

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
export const criteriaOf = ({ state, since, until, ...others }: PageOptions): EventCriteria => {
  checkOutcomes(others.outcome)
  return {
    ...others,
    ...(state === undefined ? {} : { state: state.map(stateOf) }),
    ...(since === undefined ? {} : { since: timeOf('--since', since) }),
    ...(until === undefined ? {} : { until: timeOf('--until', until) }),
  }
}

const stateOf = (word: string): State => {
  const found = states.find((state) => state === word)
  if (found !== undefined) return found
  const hint = `one of ${states.join(', ')}`
  throw new Fault('usage', `--state: there is no state "${word}"`, { exitCode: exit.usage, suggest: nearest(word, states), hint })
}
