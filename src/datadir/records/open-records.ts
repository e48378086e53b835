/** Opens the records of events for a use case, whether or not a gateway runs. */

import type { RunStanding } from '../../generated/control.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import { journalFolder } from '../../journal/folder.ts'
import { folderRecords, openRaw } from '../../journal/reader.ts'
import { databaseRecords } from '../../journal/shared/database-records.ts'
import type { StoredStanding } from '../../store/ports.ts'
import type { Attached } from '../../store/store-part.ts'
import { attachStore } from '../attach-store.ts'
import type { RunningGateway } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Returns the standing with the time of the next attempt (`dueAt`, milliseconds since 1970 by the clock of this machine) in place of a
 * duration. A store gives a duration because its clock may differ. `now`: the wall time of this machine in milliseconds.
 */
export const standingView = ({ dueInMs, ...standing }: StoredStanding, now: number): RunStanding =>
  dueInMs === undefined ? standing : { ...standing, dueAt: now + dueInMs }

/** What can be asked for the standings of runs: a running gateway, or a shared store. */
export type StandingsSource = Pick<RunningGateway, 'standings'>

export type OpenRecords = EventRecords & {
  /** Gives the standings of the runs in a shared store. Absent for a store of one gateway, because only that gateway may open its store. */
  readonly runs?: StandingsSource
  close(): Promise<void>
}

/**
 * Opens the event records of a data directory: the folder of its journal, or the database of its shared store. The caller closes the
 * records. Throws a Fault where the database cannot be opened.
 */
export const openRecords = async (workspace: Workspace): Promise<OpenRecords> => {
  const attached = await attachStore(workspace, 'read')
  const folder = journalFolder(workspace.dataDir)
  if (!attached) return { ...(workspace.journal ?? folderRecords(folder)), ...openRaw(folder) }
  return { ...databaseRecords(attached.shared.records), runs: { standings: standingsOfStore(attached) }, close: () => attached.close() }
}

/** Makes the operation `standings` of a gateway from a shared store that a command has opened. */
export const standingsOfStore =
  (store: Pick<Attached, 'standings'>): StandingsSource['standings'] =>
  async ({ ids }) => ({ standings: (await store.standings(ids)).map((standing) => standingView(standing, Date.now())) })

/** Opens the records, lets `use` read them, and closes them. Throws as `openRecords` does, and what `use` throws. */
export const withRecords = async <T>(workspace: Workspace, use: (records: OpenRecords) => Promise<T>): Promise<T> => {
  const records = await openRecords(workspace)
  try {
    return await use(records)
  } finally {
    await records.close()
  }
}
