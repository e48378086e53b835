/** Moves the content of the embedded store to the shared store, or back. */

import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { systemClock } from '../../core/clock.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { storeOptions } from '../../datadir/attach-store.ts'
import { EntryCopies } from '../../datadir/entries/entry-copies.ts'
import { entryFilesOf } from '../../datadir/entries/entry-files.ts'
import { referencesIn, withNeededSecrets } from '../../datadir/secrets/with-secrets.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { journalFolder } from '../../journal/folder.ts'
import { stores } from '../../store/index.ts'
import type { MovableStore, MoveState } from '../../store/moving.ts'
import type { StorePart } from '../../store/store-part.ts'
import { carryRecords, eventsIn } from './carry-records.ts'
import { type KindTally, tallyOf } from './moved-tally.ts'

/** `counted`: a dry run counted the rows and carried none. `reopened`: no rows were carried, and gateways may use the store again. */
export type StorageMove = {
  readonly from: string
  readonly to: string
  readonly result: 'moved' | 'counted' | 'reopened'
  /** Where the records of events stay whose runs were not moved, as a text for the user: a folder, or a schema of the database. */
  readonly records: string
  /**
   * Whether commands read these records where `storage.kind` is `from`. After a move, commands refuse a shared store, and its records with
   * it.
   */
  readonly canReadRecords: boolean
  readonly tallies: readonly KindTally[]
}

/**
 * `to`: the name of the target store. `dryRun`: only counts the rows. `force`: carries nothing, and lets gateways use the target store
 * again.
 */
export type MoveRequest = { readonly to: string; readonly dryRun: boolean; readonly force: boolean }

/**
 * Moves the content to the store `to`. Throws a Fault where the move may not be made, for example while a gateway works or where the target
 * has content of its own, and when the two stores differ after the move.
 */
export const moveStorage = async (workspace: Workspace, { to, dryRun, force }: MoveRequest): Promise<StorageMove> => {
  const movable = stores.filter(({ openToMove }) => openToMove !== undefined)
  const target = movable.find(({ name }) => name === to)
  const source = movable.find(({ name }) => name !== to)
  if (!target || !source) throw usage(`no store "${to}" to move to`, `choose of ${movable.map(({ name }) => name).join(', ')}`)
  const { config } = loadConfig(await withNeededSecrets(workspace, (loaded) => referencesIn(loaded, [loaded.storage.url])))
  const opened: MovableStore[] = []
  const open = async (part: StorePart): Promise<MovableStore> => {
    if (part.ownership === 'shared' && config.storage.url === undefined) throw noAddress()
    const store = await part.openToMove?.(storeOptions(config, systemClock))
    // Never thrown: both stores were chosen because they have `openToMove`.
    if (!store) throw new Error(`${part.name} cannot be moved`)
    opened.push(store)
    await refuseReplicas(store)
    return store
  }
  const canReadRecords = source.ownership !== 'shared'
  const records = canReadRecords ? journalFolder(config.dataDir) : `the schema ${config.storage.schema} of the database`
  const about = { from: source.name, to: target.name, records, canReadRecords }
  try {
    if (force) {
      await reopen(await open(target), to)
      return { ...about, result: 'reopened', tallies: [] }
    }
    if (dryRun) return { ...about, result: 'counted', tallies: await tallyOf(await open(source)) }
    // A store leaves out claims that ended before it was opened. The target is opened first, so it leaves out no claim that the source
    // carries.
    const filled = await open(target)
    const read = await open(source)
    refuseStates({ name: source.name, ...read.state }, { name: target.name, ...filled.state })
    return { ...about, result: 'moved', tallies: await carry(read, filled, config) }
  } finally {
    for (const store of opened) await store.close()
  }
}

/** Carries all pages, entries and records of runs from the source to the target, and returns the tallies of the target. */
const carry = async (source: MovableStore, target: MovableStore, config: Config): Promise<readonly KindTally[]> => {
  await target.begin()
  const events = new Set<string>()
  for await (const page of source.pages()) {
    await target.add(page)
    for (const id of eventsIn(page)) events.add(id)
  }
  await carryEntries(source.entries ?? target.entries, config)
  await carryRecords(source, target, journalFolder(config.dataDir), events)
  // After `shut`, no gateway can start with the source, so its content stays as it is while the two stores are compared.
  await source.shut()
  const tallies = await compareStores(source, target).catch(async (error) => {
    await source.reopen()
    throw error
  })
  // When `complete` fails, the target may be complete already. So the source stays marked as moved, and two stores are never in use.
  await target.complete()
  return tallies
}

const compareStores = async (source: MovableStore, target: MovableStore): Promise<readonly KindTally[]> => {
  await refuseReplicas(source)
  const before = await tallyOf(source)
  const after = await tallyOf(target)
  refuseDifference(before, after)
  return after
}

const refuseDifference = (before: readonly KindTally[], after: readonly KindTally[]): void => {
  const different = before.filter(({ digest }, i) => after[i]?.digest !== digest)
  if (different.length === 0) return
  const each = before.flatMap((tally, i) => (different.includes(tally) ? `${tally.kind} (${tally.rows}, now ${after[i]?.rows})` : []))
  throw new Fault('move_differs', `the two stores differ after the move: ${each.join(', ')}`, {
    exitCode: exit.no,
    hint: 'the first store can be used as before; repeat the move',
  })
}

/**
 * Makes the files of the data directory and the shared entries equal. With the embedded store, the entries lie only in these files; with
 * the shared store, the files are copies.
 */
const carryEntries = async (entries: MovableStore['entries'], config: Config): Promise<void> => {
  if (!entries) return
  for (const { result } of await new EntryCopies(entries).refresh(entryFilesOf(config))) if (result instanceof Fault) throw result
}

const reopen = async (store: MovableStore, name: string): Promise<void> => {
  if (store.state.state === 'serving') {
    throw new Fault('store_serving', `${name} can be used already`, {
      exitCode: exit.conflict,
      hint: 'without --force its content would be replaced',
    })
  }
  await store.reopen()
}

const refuseReplicas = async (store: MovableStore): Promise<void> => {
  const replicas = await store.replicas()
  if (replicas.length === 0) return
  throw new Fault('gateway_running', `gateways work with the database: ${replicas.join('; ')}`, {
    exitCode: exit.conflict,
    hint: 'stop them; one that was killed is forgotten after a minute',
  })
}

type NamedState = MoveState & { readonly name: string }

const refuseStates = (source: NamedState, target: NamedState): void => {
  if (source.state === 'filling') {
    throw new Fault('store_filling', `a move to ${source.name} has not ended`, {
      exitCode: exit.conflict,
      hint: `repeat it: headgate storage move --to ${source.name}`,
    })
  }
  // A source that is marked as moved, with a target that is still being filled: an earlier move was broken off after it shut the source.
  // This move repeats it.
  if (source.state === 'moved' && target.state !== 'filling') {
    throw new Fault('store_moved', `what ${source.name} holds was moved to ${target.name} already`, {
      exitCode: exit.conflict,
      hint: `set storage.kind: ${target.name}; to go on with what ${source.name} had: headgate storage move --to ${source.name} --force`,
    })
  }
  if (target.state === 'serving' && !target.isEmpty) {
    throw new Fault('store_used', `${target.name} has work of its own, which a move would lose`, {
      exitCode: exit.conflict,
      hint: 'name another schema or data directory',
    })
  }
}

const noAddress = (): Fault =>
  new Fault('no_database', 'the configuration names no database', {
    exitCode: exit.config,
    hint: 'set storage.url: ${DATABASE_URL}, also while storage.kind is sqlite still',
  })
