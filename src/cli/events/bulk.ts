/** What the commands that act on several events share: choosing the events, asking before anything starts, and counting. */

import { exit, Fault, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { chooseEvents, countBySource, type DoneCounter } from '../../operate/events/event-batch.ts'
import { type EventStatus, eventSource } from '../../operate/events/event-status.ts'
import { type Cli, note } from '../shell/output.ts'
import { criteriaOf, type SelectionOptions } from './selection.ts'
import { tableCell } from './view.ts'

/**
 * Returns the events with these ids, in the order of the ids, or, without ids, the events that the options select, the oldest first. Throws
 * a usage Fault for ids together with a selection, and for neither, and a Fault (exit 5) for an unknown id.
 */
export const chosenEvents = async (ids: readonly string[], options: SelectionOptions, cli: Cli): Promise<readonly EventStatus[]> => {
  const isSelection = Object.values(options).some((value) => value !== undefined)
  if (ids.length > 0 && isSelection) throw usage('give ids or a selection, not both')
  const { workspace } = cli
  if (ids.length === 0 && !isSelection)
    throw usage('which events? give their ids, or select some', `look at them: ${workspace.self} events list`)
  const { events, isCut, notices } = await chooseEvents(workspace, gatewayAt(workspace), ids, criteriaOf(options))
  note(cli, ...notices, ...(isCut ? [`only the newest ${events.length} of them: --limit`] : []))
  return events
}

/** Asks a question before runs start, unless `yes` is set. Throws a Fault where the user does not agree, or nobody can be asked. */
export const confirmStart = async (question: string, yes: boolean, { io }: Cli): Promise<void> => {
  if (yes) return
  if (!io.ask) throw usage('nothing was started: this needs --yes where nobody can be asked', 'look first: --dry-run')
  if (/^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim())) return
  throw new Fault('cancelled', 'nothing was started', { exitCode: exit.cancelled })
}

/** Returns a function that shows on a terminal how many of `of` events are done. The line is cleared after the last event. */
export const progressOf =
  (of: number, { io, quiet }: Cli): DoneCounter =>
  (done) => {
    if (of < 2 || quiet || !io.terminal) return
    const text = `${done} of ${of}`
    io.stderr(done < of ? `\r${text}` : `\r${' '.repeat(text.length)}\r`)
  }

/** Returns the number of events, and the number for each source: `3 (2 of deploys, 1 of job:nightly)`. */
export const countsBySource = (events: readonly Pick<EventStatus, 'event'>[]): string =>
  `${events.length} (${countBySource(events)
    .map(({ source, count }) => `${count} of ${tableCell(source)}`)
    .join(', ')})`

/** Returns the first cells of an event's row: its id, and its source (a route or a job). */
export const idAndSource = ({ event }: EventStatus): string[] => [printable(event.event_id, 36), tableCell(eventSource(event))]
