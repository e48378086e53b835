/** Makes a backup of a data directory, also while its gateway works. */

import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { moveFile, syncFolder } from '../../core/durable-file.ts'
import { exit, Fault } from '../../core/fault.ts'
import { storeOptions } from '../../datadir/attach-store.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { journalFolder, linesPath, listSegments, rawPath, unlessGone } from '../../journal/folder.ts'
import { storesByName } from '../../store/index.ts'
import type { HeldFile } from '../../store/store-part.ts'
import { type ArchivedFile, type ArchiveWriter, textContent, writeArchive } from './archive.ts'
import { fileKind, manifestName, namesBelow } from './backup-files.ts'
import { withoutSecrets } from './entry-secrets.ts'
import { manifestText } from './manifest.ts'

/** `withConfig`: the files of the configuration too, and all secrets in clear. `force`: an existing file is replaced. */
export type BackupRequest = { readonly to: string; readonly withConfig: boolean; readonly force: boolean }

export type Backup = {
  readonly file: string
  readonly bytes: number
  readonly files: number
  /** The kind of the store. */
  readonly store: string
  readonly isShared: boolean
  readonly isLasting: boolean
  readonly hasDatabase: boolean
  /** The configuration file, where it lies outside of the data directory. The backup does not have it. */
  readonly configElsewhere: string | undefined
  /** The names of links, and of other files that are not regular. The backup does not have these. */
  readonly leftOut: readonly string[]
}

const chunkBytes = 1024 * 1024

/**
 * Makes a backup in a new file. Where `to` is a folder, the file gets a name with the time. Throws a Fault where the file is there already,
 * where a part of the data cannot be read, and where the backup cannot be written: then no file is left.
 */
export const makeBackup = async (
  workspace: Workspace,
  finder: GatewayFinder,
  request: BackupRequest,
  clock: Clock = systemClock,
): Promise<Backup> => {
  const { config } = loadConfig(workspace)
  const at = new Date(clock.now()).toISOString()
  const file = fileOf(request.to, at)
  if (!request.force && existsSync(file)) throw existing(file)
  const unfinished = `${file}.${randomUUID()}.part`
  const files: ArchivedFile[] = []
  const leftOut: string[] = []
  const store = config.storage.kind
  try {
    await writeArchive(unfinished, async (archive) => {
      files.push(...(await addDatabase(archive, config, finder)))
      files.push(...(await addEvents(archive, config.dataDir)))
      const { added, odd } = await addFiles(archive, config, request.withConfig)
      files.push(...added)
      leftOut.push(...odd)
      await archive.add(manifestName, textContent(manifestText({ at, store, withConfig: request.withConfig, files })))
    })
    await (request.force ? moveFile(unfinished, file) : putInPlace(unfinished, file))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw diskFault('write', file, error)
  }
  const hasDatabase = files.some(({ name }) => name === databaseOf(config))
  const isElsewhere = workspace.configFile !== undefined && relative(workspace.dataDir, workspace.configFile).startsWith('..')
  const configElsewhere = isElsewhere ? workspace.configFile : undefined
  return { file, bytes: statSync(file).size, files: files.length, store, ...traitsOf(store), hasDatabase, configElsewhere, leftOut }
}

const traitsOf = (store: string): Pick<Backup, 'isShared' | 'isLasting'> => {
  const part = storesByName.get(store)
  return { isShared: part?.ownership === 'shared', isLasting: part?.isLasting === true }
}

const fileOf = (to: string, at: string): string => {
  const path = resolve(to)
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? join(path, `headgate-${at.replaceAll(/[-:]|\.\d+/g, '')}.tar.gz`) : path
}

/** Gives the finished file its name, without replacing a file that somebody has made meanwhile. */
const putInPlace = async (from: string, file: string): Promise<void> => {
  try {
    await link(from, file)
  } catch {
    if (existsSync(file)) throw existing(file)
    // Some file systems have no links.
    return moveFile(from, file)
  }
  await rm(from)
  await syncFolder(dirname(file))
}

const existing = (file: string): Fault =>
  new Fault('file_exists', `${file} is there already: nothing was written`, {
    exitCode: exit.conflict,
    hint: 'name another file, or --force',
  })

const databaseOf = ({ storage }: Config): string | undefined => {
  const name = storesByName.get(storage.kind)?.copies?.name
  return name === undefined ? undefined : `state/${name}`
}

/** Adds the database of the store, as it was at one moment. Adds nothing for a store without a file of its own. */
const addDatabase = async (archive: ArchiveWriter, config: Config, finder: GatewayFinder): Promise<readonly ArchivedFile[]> => {
  const name = databaseOf(config)
  const held = name === undefined ? undefined : await holdStore(config, finder)
  if (!held || name === undefined) return []
  const copying = addHeld(archive, name, held.file)
  const isWhole = await copying.then(held.release, held.release)
  const added = await copying
  if (!isWhole) throw changedMeanwhile()
  return [added]
}

const addHeld = async (archive: ArchiveWriter, name: string, file: string): Promise<ArchivedFile> =>
  archive.add(name, { bytes: statSync(file).size, mode: 0o600, chunks: createReadStream(file, { highWaterMark: chunkBytes }) })

const changedMeanwhile = (): Fault =>
  new Fault('backup_unstable', 'the database changed while it was copied: the copy took too long, or the gateway stopped', {
    exitCode: exit.no,
    hint: 'try again; write to a faster disk if it took long',
  })

/** Holds the store's file by the running gateway, or without one. `undefined`: there is no such file. */
const holdStore = async (config: Config, finder: GatewayFinder): Promise<HeldFile | undefined> => {
  const gateway = await finder.find()
  if (gateway) {
    const { hold, file } = await gateway.holdStore()
    if (hold === undefined || file === undefined) return undefined
    const release = async (): Promise<boolean> => (await gateway.releaseStore({ hold })).whole
    return { file, release: () => release().catch(() => false) }
  }
  const copies = storesByName.get(config.storage.kind)?.copies
  const options = storeOptions(config, systemClock)
  return copies && existsSync(join(options.folder, copies.name)) ? copies.hold(options) : undefined
}

/** Adds the segments of the journal, as far as they are written. A segment that is deleted meanwhile is left out. */
const addEvents = async (archive: ArchiveWriter, dataDir: string): Promise<readonly ArchivedFile[]> => {
  const folder = journalFolder(dataDir)
  const added: ArchivedFile[] = []
  for (const { name } of await listSegments(folder)) {
    // The lines first: what they point to is in the file of raw requests by then.
    for (const path of [linesPath(folder, name), rawPath(folder, name)]) {
      const file = await addOpenFile(archive, `state/events/${path.slice(folder.length + 1)}`, path)
      if (file) added.push(file)
    }
  }
  return added
}

/** Adds a file as long as it is now: it may grow meanwhile. `undefined`: there is no such file any more. */
const addOpenFile = async (archive: ArchiveWriter, name: string, path: string): Promise<ArchivedFile | undefined> => {
  const handle = await open(path).catch(unlessGone)
  if (!handle) return undefined
  try {
    const { size, mode } = await handle.stat()
    const chunks = size === 0 ? [] : handle.createReadStream({ autoClose: false, end: size - 1, highWaterMark: chunkBytes })
    return await archive.add(name, { bytes: size, mode: mode & 0o777, chunks })
  } finally {
    await handle.close()
  }
}

/** Adds the other files. The entries of a shared store are in its database. */
const addFiles = async (archive: ArchiveWriter, { dataDir, storage }: Config, withConfig: boolean) => {
  const isShared = storesByName.get(storage.kind)?.ownership === 'shared'
  const kinds = new Set(['state' as const, ...(isShared ? [] : ['entries' as const]), ...(withConfig ? ['config' as const] : [])])
  const { names, odd } = namesBelow(dataDir, kinds)
  const added: ArchivedFile[] = []
  for (const name of names) {
    const path = join(dataDir, name)
    if (!withConfig && fileKind(name, undefined) === 'entries') {
      added.push(await archive.add(name, textContent(withoutSecrets(name, readText(path)))))
      continue
    }
    const file = await addOpenFile(archive, name, path)
    if (file) added.push(file)
  }
  return { added, odd }
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw diskFault('read', path, error)
  }
}
