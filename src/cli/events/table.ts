/** The table of `events list` and `events list --follow`: its head, and its rows. */

import { type EventStatus, eventSource, outcomeOf } from '../../operate/events/event-status.ts'
import { shownTime, tableCell } from './view.ts'

const maxNote = 80

export const tableHead = (wide: boolean): readonly string[] => [
  ...['ID', 'TIME', 'ROUTE', 'EVENT', 'OUTCOME', 'STATE', 'ATTEMPTS'],
  ...(wide ? ['PROFILE', 'TARGET', 'DELIVERY'] : []),
  'NOTE',
]

/** Returns the cells of one event, in the columns of `tableHead`. `idOf`: returns the id as it is shown. */
export const eventCells = (status: EventStatus, wide: boolean, idOf: (id: string) => string): string[] => {
  const { event, state, attempt } = status
  return [
    idOf(event.event_id),
    shownTime(event.at),
    tableCell(eventSource(event)),
    tableCell(event.event_type, 40),
    tableCell(outcomeOf(event)),
    state,
    tableCell(attempt || undefined),
    ...(wide ? [tableCell(event.profile), tableCell(event.target), tableCell(event.delivery_id)] : []),
    tableCell(noteOf(status), wide ? 1024 : maxNote),
  ]
}

const noteOf = ({ event, attempt, nextAt, error, state }: EventStatus): string | undefined => {
  const parts = [
    ...(event.reason === undefined ? [] : [event.reason]),
    ...(nextAt === undefined ? [] : [`${attempt > 0 ? 'next try' : 'due'} ${shownTime(nextAt)}`]),
    ...(error === undefined ? [] : [error]),
    ...(event.unverified ? ['kept to be verified again'] : []),
    ...(state === 'unknown' ? ['its end is not in the journal'] : []),
    ...(event.silent ? ['silent'] : []),
    ...(event.group === undefined ? [] : [`group ${event.group.slice(0, 8)}`]),
    ...(event.count === undefined || event.group === undefined ? [] : [`${event.count} events in one run`]),
    ...(event.batch_of === undefined ? [] : [`item ${event.batch_index} of ${event.batch_of.slice(0, 8)}`]),
    ...(event.dispatched_by === undefined ? [] : [`dispatched by ${event.dispatched_by}`]),
    ...(event.replay_of === undefined ? [] : [`${event.edited ? 'edited ' : ''}replay of ${event.replay_of.slice(0, 8)}`]),
  ]
  return parts.length > 0 ? parts.join('; ') : undefined
}
