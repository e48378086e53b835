/** Finds who erases runs: the running gateway, or, without one, this process, which then opens the store and the journal. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../../config/load.ts'
import { systemClock } from '../../../core/clock.ts'
import { journalFolder } from '../../../journal/folder.ts'
import { openJournal } from '../../../journal/journal.ts'
import { createJournalObserver } from '../../../journal/journal-observer.ts'
import { embedded } from '../../../store/index.ts'
import type { GatewayFinder, RunningGateway } from '../../running-gateway.ts'
import { storeOptions } from '../../store-options.ts'
import type { Workspace } from '../../workspace.ts'
import { createEraseRuns } from './erase-runs.ts'

/** The gateway deletes what is past its limits; this process only adds lines. */
const noLimits = { maxAgeMs: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY, maxEvents: Number.POSITIVE_INFINITY }

type EraseRuns = RunningGateway['eraseRuns']

/** Lets `use` erase runs, and closes what was opened. Throws a Fault where the store cannot be opened, and what `use` throws. */
export const withErasingStore = async <T>(
  workspace: Workspace,
  finder: GatewayFinder,
  use: (eraseRuns: EraseRuns) => Promise<T>,
): Promise<T> => {
  const gateway = await finder.find()
  if (gateway) return use(gateway.eraseRuns)
  const options = storeOptions(loadConfig(workspace).config, systemClock)
  if (!existsSync(join(options.folder, embedded.copies.name))) {
    return use(async () => ({ events: [], ended: 0, running: [], supported: true }))
  }
  const store = await embedded.open(options)
  const report = (): void => undefined
  const journal = await openJournal({ clock: systemClock, limits: () => noLimits, report, folder: journalFolder(workspace.dataDir) })
  const observer = createJournalObserver({ journal, keepsPayloads: () => false, redact: (text) => text })
  const facts = { tell: observer.on, flushed: () => journal.flushed() }
  try {
    return await use(createEraseRuns(store, facts, systemClock))
  } finally {
    await store.close()
    await journal.close()
  }
}
