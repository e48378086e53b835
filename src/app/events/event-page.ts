/** Reads one page of the events that fit the user's criteria. */

import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'
import { type EventCriteria, selectionOf } from './event-selection.ts'
import { type Selected, selectEvents } from './events.ts'
import { checkSources } from './selection-words.ts'

/**
 * Reads the page. `limit` holds where the criteria have no limit. Throws a Fault (exit 5) where the criteria name a route or a job that no
 * file names.
 */
export const readEventPage = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  criteria: EventCriteria,
  limit: number,
): Promise<Selected> => {
  const page = await selectEvents(workspace, gateway, selectionOf(criteria, limit))
  // The journal may have events of a route that was removed. A name that neither the journal nor a file has is a slip.
  if (page.events.length === 0) await checkSources(workspace, criteria)
  return page
}
