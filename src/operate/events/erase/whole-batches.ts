/** Finds what belongs to one request: of a request that was split, the request and all of its items. */

import { exit, Fault } from '../../../core/fault.ts'
import { withRecords } from '../../../datadir/records/open-records.ts'
import type { Workspace } from '../../../datadir/workspace.ts'
import type { EventView } from '../../../journal/record.ts'

/** The most events of split requests that are found at once. */
const maxFound = 100_000

/**
 * Returns the events, and those that share a request with one of them: the body of the request has the texts of all its items, and the run
 * of an item has texts of the request. Throws a Fault where there are more than 100,000 of these.
 */
export const wholeBatches = async (workspace: Workspace, events: readonly EventView[]): Promise<readonly EventView[]> => {
  const requests = new Set(events.flatMap(({ event_id: id, batch_of: of, outcome }) => of ?? (outcome === 'split' ? id : [])))
  if (requests.size === 0) return events
  const known = new Set(events.map(({ event_id: id }) => id))
  const { events: found, truncated } = await withRecords(workspace, (records) =>
    records.events({ limit: maxFound, fits: ({ event_id: id, batch_of: of }) => !known.has(id) && requests.has(of ?? id) }),
  )
  if (truncated)
    throw new Fault('too_many', `the requests of these events have more than ${maxFound} items: nothing was erased`, {
      exitCode: exit.usage,
      hint: 'choose fewer events: --since and --until, or ids',
    })
  return [...events, ...found]
}
