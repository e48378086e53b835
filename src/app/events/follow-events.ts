/** Events as they come, and once more as their runs go on: what `watch` tells, in the words of the journal. */

import type { DeliveryLine, OutcomeLine, TailLine } from '../../generated/control.ts'
import type { EventView } from '../../journal/record.ts'
import type { Selection } from './event-selection.ts'
import type { KnownEvent } from './known-event.ts'

/** Events whose arrival is remembered for what comes of their runs. */
const maxKnown = 1_000

/** Those that leave a record and that the selection asks for. */
export async function* followEvents(lines: AsyncIterable<TailLine>, selection: Selection): AsyncGenerator<KnownEvent, void> {
  const arrived = new Map<string, EventView>()
  for await (const line of lines) {
    const known = knownOf(line, arrived)
    if (known && selection.fits(known.event) && selection.fitsState(known.state)) yield known
  }
}

const knownOf = (line: TailLine, arrived: Map<string, EventView>): KnownEvent | undefined => {
  if (line.type === 'outcome' && line.event_id !== null) {
    const event = viewOf(line, line.event_id)
    arrived.set(event.event_id, event)
    for (const id of arrived.keys()) if (arrived.size > maxKnown) arrived.delete(id)
    return { event, state: event.state, attempt: 0 }
  }
  if (line.type !== 'delivery' || line.event_id === null) return undefined
  const { state, attempt, error, next_at, target, job, at, silent } = line
  const before = arrived.get(line.event_id) ?? { ...whoseOf(line, line.event_id), outcome: 'accepted' }
  const ended = state === 'waiting' ? {} : { ended_at: at }
  const event: EventView = { ...before, ...some({ target, job }), state, attempt, ...ended, ...(silent ? { silent } : {}), tries: [] }
  return { event, state, attempt, ...(error === null ? {} : { error }), ...(next_at === null ? {} : { nextAt: next_at }) }
}

const whoseOf = ({ at, profile, route, event_type, delivery_id }: OutcomeLine | DeliveryLine, event_id: string) => ({
  at,
  event_id,
  profile: profile ?? '',
  route: route ?? '',
  ...some({ event_type, delivery_id }),
})

const viewOf = (line: OutcomeLine, event_id: string): EventView => {
  const { outcome, status, stage, duration_ms, reason, target } = line
  const state = outcome === 'accepted' || outcome === 'coalesced' ? 'waiting' : 'final'
  return { ...whoseOf(line, event_id), outcome, ...some({ stage, reason, target, status, duration_ms }), state, tries: [] }
}

/** Without the members that say nothing. */
const some = <T extends { readonly [name: string]: string | number | null }>(members: T): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as { [Name in keyof T]?: NonNullable<T[Name]> }
