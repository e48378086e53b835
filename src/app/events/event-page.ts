/** One page of the events that somebody asks for. */

import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'
import { type EventCriteria, selectionOf } from './event-selection.ts'
import { type Selected, selectEvents } from './events.ts'
import { checkSources } from './selection-words.ts'

/** `limit` counts where the criteria have none. Throws a Fault (exit 5) where they name a route or a job that no file names. */
export const readEventPage = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  criteria: EventCriteria,
  limit: number,
): Promise<Selected> => {
  const page = await selectEvents(workspace, gateway, selectionOf(criteria, limit))
  // Events of a route that is gone may be there; a name that nothing has is a slip.
  if (page.events.length === 0) await checkSources(workspace, criteria)
  return page
}
