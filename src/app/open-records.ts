/** Opens the records of events for a use case, whether or not a gateway runs. */

import type { EventRecords } from '../journal/event-records.ts'
import { journalFolder } from '../journal/folder.ts'
import { folderRecords } from '../journal/reader.ts'
import { databaseRecords } from '../journal/shared/database-records.ts'
import type { Attached } from '../store/store-part.ts'
import { standingView } from './events/standing-view.ts'
import type { RunningGateway } from './running-gateway.ts'
import { attachStore } from './shared-store/attach-store.ts'
import type { Workspace } from './workspace.ts'

/** The source of the standings of runs: a running gateway, or a shared store. */
export type Runs = Pick<RunningGateway, 'standings'>

export type OpenRecords = EventRecords & {
  /** The standings of the runs in a shared store. Absent for a store of one gateway, because only that gateway may open the store. */
  readonly runs?: Runs
  close(): Promise<void>
}

/**
 * Opens the event records of a data directory: the folder of its journal, or the database of its shared store. The caller closes the
 * records.
 */
export const openRecords = async (workspace: Workspace): Promise<OpenRecords> => {
  const attached = await attachStore(workspace, 'read')
  if (!attached) return { ...folderRecords(journalFolder(workspace.dataDir)), close: async () => {} }
  return { ...databaseRecords(attached.shared.records), runs: { standings: standingsIn(attached) }, close: () => attached.close() }
}

export const standingsIn =
  (store: Pick<Attached, 'standings'>): Runs['standings'] =>
  async ({ ids }) => ({ standings: (await store.standings(ids)).map((standing) => standingView(standing, Date.now())) })

/** Opens the records, lets `use` read them, and closes them. */
export const withRecords = async <T>(workspace: Workspace, use: (records: OpenRecords) => Promise<T>): Promise<T> => {
  const records = await openRecords(workspace)
  try {
    return await use(records)
  } finally {
    await records.close()
  }
}
