/** Opens what an erasure changes: the runs and the records of a data directory, or those of its shared store. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../config/load.ts'
import { pause, systemClock } from '../../../core/clock.ts'
import { createFacts } from '../../../core/facts/facts.ts'
import { attachStore, storeOptions } from '../../../datadir/attach-store.ts'
import type { GatewayFinder, RunningGateway } from '../../../datadir/running-gateway.ts'
import type { Workspace } from '../../../datadir/workspace.ts'
import type { ErasedEvents } from '../../../journal/erased-line.ts'
import { journalFolder } from '../../../journal/folder.ts'
import { openJournal } from '../../../journal/journal.ts'
import { createJournalObserver } from '../../../journal/journal-observer.ts'
import type { Journal } from '../../../journal/record.ts'
import { eraseFromSegments } from '../../../journal/segments/erase-events.ts'
import { eraseSharedEvents } from '../../../journal/shared/erase-events.ts'
import { openSharedJournal } from '../../../journal/shared/shared-journal.ts'
import { embedded } from '../../../store/index.ts'
import type { Attached, OpenStore } from '../../../store/store-part.ts'
import { createEraseRuns } from './erase-runs.ts'

/** Journals of a command only add lines: gateways delete what is past the limits. */
const journalOptions = {
  clock: systemClock,
  limits: () => ({ maxAgeMs: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY, maxEvents: Number.POSITIVE_INFINITY }),
  report: (): void => undefined,
}

/**
 * How long a gateway may need to store the last line about a run that has left a shared store, in milliseconds: it gathers lines for a
 * moment, and the database ends a statement after two seconds.
 */
const lateLinesMs = 2_500

export type ErasingStore = {
  readonly eraseRuns: RunningGateway['eraseRuns']
  /**
   * Resolves to the ids of the events whose runs had texts of these events. `mayBeLate`: a gateway may not yet have stored the last lines
   * about the events.
   */
  readonly eraseRecords: (events: ErasedEvents, mayBeLate: boolean) => Promise<ReadonlySet<string>>
}

/**
 * Opens the store that has the runs and records of a data directory, calls `use` with it, and closes it afterwards. Throws a Fault where
 * the store cannot be opened, and what `use` throws.
 */
export const withErasingStore = async <T>(
  workspace: Workspace,
  finder: GatewayFinder,
  use: (store: ErasingStore) => Promise<T>,
): Promise<T> => {
  // A gateway of an earlier version may not know the functions of the schema that erase.
  const attached = await attachStore(workspace, 'make')
  if (attached) return withShared(attached, use)
  const folder = journalFolder(workspace.dataDir)
  const eraseRecords = (events: ErasedEvents): Promise<ReadonlySet<string>> => eraseFromSegments(folder, events)
  const gateway = await finder.find()
  if (gateway) return use({ eraseRuns: gateway.eraseRuns, eraseRecords })
  const options = storeOptions(loadConfig(workspace).config, systemClock)
  if (!existsSync(join(options.folder, embedded.copies.name))) {
    return use({ eraseRuns: async () => ({ events: [], ended: 0, running: [] }), eraseRecords })
  }
  const store = await embedded.open(options)
  const journal = await openJournal({ ...journalOptions, folder })
  try {
    return await use({ eraseRuns: eraseRunsOf(store, journal), eraseRecords })
  } finally {
    await store.close()
    await journal.close()
  }
}

/** Works on the database itself, whether or not gateways run: the leases of their runs are there. */
const withShared = async <T>(attached: Attached, use: (store: ErasingStore) => Promise<T>): Promise<T> => {
  const { records } = attached.shared
  const journal = await openSharedJournal({ ...journalOptions, records })
  try {
    return await use({
      eraseRuns: eraseRunsOf(attached, journal),
      async eraseRecords(events, mayBeLate) {
        if (mayBeLate) await pause(lateLinesMs, systemClock)
        return eraseSharedEvents(records, events)
      },
    })
  } finally {
    await journal.close()
    await attached.close()
  }
}

const eraseRunsOf = (store: Pick<OpenStore, 'erase'>, journal: Journal): RunningGateway['eraseRuns'] => {
  const facts = createFacts()
  facts.observe(createJournalObserver({ journal, keepsPayloads: () => false, redact: (text) => text }))
  return createEraseRuns(store, facts, systemClock)
}
