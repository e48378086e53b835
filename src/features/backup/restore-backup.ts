/** Restores a backup into a data directory while no gateway runs. */

import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Clock, systemClock } from '../../core/clock.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { makeFolder, moveFile } from '../../core/durable-file.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { unlessGone } from '../../journal/folder.ts'
import { embedded } from '../../store/index.ts'
import { asidePrefix, fileKind } from './backup-files.ts'
import type { Manifest } from './manifest.ts'
import { stageBackup } from './staged-backup.ts'

const { copies } = embedded

/** `force`: what is there is moved aside. `dryRun`: the backup is only checked. */
export type RestoreRequest = { readonly from: string; readonly force: boolean; readonly dryRun: boolean }

export type Restored = {
  readonly manifest: Manifest
  readonly isDryRun: boolean
  /** The folder with what was there before; absent where nothing was. */
  readonly aside?: string
}

/**
 * Checks a backup, and puts its files into the data directory. Throws a Fault where the backup cannot be used, where a gateway runs, and,
 * without `force`, where the data directory has data already; nothing is changed then. A restore that is broken off is repeated.
 */
export const restoreBackup = async (
  { dataDir }: Pick<Workspace, 'dataDir'>,
  finder: GatewayFinder,
  { from, force, dryRun }: RestoreRequest,
  clock: Clock = systemClock,
): Promise<Restored> => {
  const state = join(dataDir, 'state')
  const staging = join(state, 'restoring.new')
  refuseOtherUser(dataDir)
  await refuseGateway(finder)
  let made: string | undefined
  try {
    await rm(staging, { recursive: true, force: true })
    made = await mkdir(staging, { recursive: true, mode: 0o700 })
    const manifest = await stageBackup(from, staging)
    const present = await presentFiles(dataDir, manifest)
    const restoring = join(state, copies.restoring)
    if (!force && !existsSync(restoring)) refuseData(present.filter(isData))
    if (dryRun) return { manifest, isDryRun: true }
    const files = await beginRestore(state, staging, restoring)
    const aside = join(dataDir, `${asidePrefix}${new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`)
    for (const name of present) await move(join(dataDir, name), join(aside, name))
    for (const { name } of manifest.files) await move(join(files, name), join(dataDir, name))
    await rm(restoring, { recursive: true })
    return { manifest, isDryRun: false, ...(present.length > 0 ? { aside } : {}) }
  } catch (error) {
    throw diskFault('write', staging, error)
  } finally {
    await rm(staging, { recursive: true, force: true })
    if (made !== undefined) await removeEmpty(dirname(staging), made)
  }
}

/** A backup that is only checked, or refused, removes the folders that it made. `top`: the first of them. */
const removeEmpty = async (folder: string, top: string): Promise<void> => {
  if (!folder.startsWith(top)) return
  await rmdir(folder).then(
    () => removeEmpty(dirname(folder), top),
    // The folder is not empty: another command has put something into it.
    () => {},
  )
}

/** Root would create files that the gateway's user cannot open. */
const refuseOtherUser = (dataDir: string): void => {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid
  if (process.getuid?.() !== 0 || owner === undefined || owner === 0) return
  throw usage(
    `${dataDir} belongs to user ${owner}, and a restore by root would lock that user out`,
    `run it as that user: sudo -u '#${owner}' …`,
  )
}

const refuseGateway = async (finder: GatewayFinder): Promise<void> => {
  if ((await finder.find()) === undefined) return
  throw new Fault('gateway_running', 'a gateway works with this data directory', {
    exitCode: exit.conflict,
    hint: 'stop it: headgate gateway stop',
  })
}

/** Lines of the audit and the state of alerts are no reason to refuse a restore: commands may have made them in a new data directory. */
const isData = (name: string): boolean => fileKind(name, copies.name) !== 'state'

const refuseData = (names: readonly string[]): void => {
  const [first] = names
  if (first === undefined) return
  const others = names.length > 1 ? ` and ${names.length - 1} more files` : ''
  throw new Fault('data_exist', `the data directory has ${first}${others} already: nothing was changed`, {
    exitCode: exit.conflict,
    hint: `name another data directory, or --force, which moves them to ${asidePrefix}…`,
  })
}

/** Returns the names of the files that the backup replaces: those with its names, the database with its log, and the whole journal. */
const presentFiles = async (dataDir: string, { files }: Manifest): Promise<readonly string[]> => {
  const names = new Set(files.map(({ name }) => name))
  const below = async (folder: string): Promise<string[]> =>
    ((await readdir(join(dataDir, folder)).catch(unlessGone)) ?? []).map((name) => `${folder}/${name}`)
  const database = `state/${copies.name}`
  const logs = names.has(database) ? (await below('state')).filter((name) => name.startsWith(database)) : []
  const events = (await below('state/events')).filter((name) => fileKind(name, undefined) === 'events')
  return [...new Set([...names, ...logs, ...events])].filter((name) => existsSync(join(dataDir, name))).sort()
}

/**
 * Lets no gateway open the store from now on, and returns the folder with the checked files. Throws a Fault where another process has the
 * store open.
 */
const beginRestore = async (state: string, staging: string, restoring: string): Promise<string> => {
  const held = existsSync(join(state, copies.name)) ? await copies.hold({ folder: state }).catch(unlessLocked) : undefined
  const files = join(restoring, 'files')
  try {
    await mkdir(restoring, { recursive: true, mode: 0o700 })
    await rm(files, { recursive: true, force: true })
    await moveFile(staging, files)
  } finally {
    await held?.release()
  }
  return files
}

/** A database that is damaged, or cannot be opened for another reason, is replaced all the same. */
const unlessLocked = (error: unknown): undefined => {
  if (!(error instanceof Fault) || error.code === 'store_locked') throw error
  return undefined
}

const move = async (from: string, to: string): Promise<void> => {
  await makeFolder(dirname(to))
  await moveFile(from, to)
}
