/** Reads one page of the events that fit the user's criteria. */

import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { type EventCriteria, selectionOf } from './event-selection.ts'
import { type SelectedEvents, selectEvents } from './events.ts'
import { checkSources } from './selection-words.ts'

/**
 * Reads the page. `limit`: the most events of the page where the criteria give no limit. Throws a Fault (exit 5) where no event fits and
 * the criteria name a route or a job that no file has, and where the event of the cursor is gone.
 */
export const readEventPage = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  criteria: EventCriteria,
  limit: number,
): Promise<SelectedEvents> => {
  const page = await selectEvents(workspace, gateway, selectionOf(criteria, limit))
  // The journal may have events of a route that was removed. A name that is neither in the journal nor in a file is a slip of the user.
  if (page.events.length === 0) await checkSources(workspace, criteria)
  return page
}
