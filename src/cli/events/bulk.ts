/** What commands that act on several events have in common: which ones, whether that is meant, and how it went. */

import { selectionOf } from '../../app/event-selection.ts'
import { findEvents, selectEvents } from '../../app/events.ts'
import { type KnownEvent, sourceOf } from '../../app/known-event.ts'
import type { Replayed } from '../../app/replay.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type Cli, note } from '../shell/output.ts'
import { criteriaOf, type SelectionOptions } from './selection.ts'
import { cell } from './view.ts'

/** A bulk command touches this many without `--limit`. */
const bulkLimit = 1_000

/** The events of the ids, or else those selected; oldest first, as they came. */
export const chosen = async (ids: readonly string[], options: SelectionOptions, cli: Cli): Promise<readonly KnownEvent[]> => {
  const isSelection = Object.values(options).some((value) => value !== undefined)
  if (ids.length > 0 && isSelection) throw usage('give ids or a selection, not both')
  const { workspace } = cli
  const gateway = gatewayAt(workspace)
  if (ids.length > 0) {
    const { events, notices } = await findEvents(workspace, gateway, ids)
    note(cli, ...notices)
    return events
  }
  if (!isSelection) throw usage('which events? give their ids, or select some', `look at them: ${workspace.self} events list`)
  const { events, next, notices } = await selectEvents(workspace, gateway, selectionOf(criteriaOf(options), bulkLimit))
  note(cli, ...notices, ...(next === undefined ? [] : [`only the newest ${events.length} of them: --limit`]))
  return [...events].reverse()
}

/** Asks before many things start; where nobody can be asked, `--yes` has to be given. */
export const confirm = async (question: string, yes: boolean, { io }: Cli): Promise<void> => {
  if (yes) return
  if (!io.ask) throw usage('nothing was started: this needs --yes where nobody can be asked', 'look first: --dry-run')
  if (/^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim())) return
  throw new Fault('cancelled', 'nothing was started', { exitCode: exit.cancelled })
}

/** `3 (2 of deploys, 1 of job:nightly)` */
export const countsOf = (events: readonly KnownEvent[]): string => {
  const counts = new Map<string, number>()
  for (const { event } of events) counts.set(sourceOf(event), (counts.get(sourceOf(event)) ?? 0) + 1)
  return `${events.length} (${[...counts].map(([name, count]) => `${count} of ${cell(name)}`).join(', ')})`
}

/** How it went for one event. */
export type Result = {
  readonly known: KnownEvent
  readonly ok: boolean
  readonly why?: string
  /** What a replay came to. */
  readonly replayed?: Extract<Replayed, { readonly found: true }>
}

/** One after the other; what fails does not stop the rest, but a gateway that is gone does. */
export const each = async (
  chosen: readonly KnownEvent[],
  act: (known: KnownEvent) => Promise<Omit<Result, 'known'>>,
): Promise<readonly Result[]> => {
  const results: Result[] = []
  let gone: Fault | undefined
  for (const known of chosen) {
    try {
      results.push(gone ? { known, ok: false, why: 'not tried' } : { known, ...(await act(known)) })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      if (error.exitCode === exit.unreachable) gone = error
      results.push({ known, ok: false, why: error.message })
    }
  }
  return results
}

/** An id and where it comes from, as the first columns of a line. */
export const aboutOf = ({ event }: KnownEvent): string[] => [printable(event.event_id, 36), cell(sourceOf(event))]
