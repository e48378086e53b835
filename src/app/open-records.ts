/** Opens the records of events for a use case, whether or not a gateway runs. */

import type { EventRecords } from '../journal/event-records.ts'
import { journalFolder } from '../journal/folder.ts'
import { folderRecords } from '../journal/reader.ts'
import type { RunningGateway } from './running-gateway.ts'
import type { Workspace } from './workspace.ts'

/** What says how runs stand: a running gateway, or a store that several share. */
export type Runs = Pick<RunningGateway, 'standings'>

export type OpenRecords = EventRecords & {
  /** Absent with a store that only its gateway may open. */
  readonly runs?: Runs
  close(): Promise<void>
}

/** Opens the records of a data directory. Whoever opens them closes them. */
export const openRecords = async ({ dataDir }: Workspace): Promise<OpenRecords> => ({
  ...folderRecords(journalFolder(dataDir)),
  close: async () => {},
})

/** Opens the records, lets `use` read them, and closes them. */
export const withRecords = async <T>(workspace: Workspace, use: (records: OpenRecords) => Promise<T>): Promise<T> => {
  const records = await openRecords(workspace)
  try {
    return await use(records)
  } finally {
    await records.close()
  }
}
