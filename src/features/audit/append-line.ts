/**
 * Appends lines to the file of the audit, and bounds the file. The file belongs to the owner of the data directory, also where root runs
 * the program.
 */

import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { diskFault } from '../../core/disk-fault.ts'
import { moveFile } from '../../core/durable-file.ts'
import { codeOf } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'

/** A file of this size becomes `audit.jsonl.1` before the next line, and a new file begins. */
const maxBytes = 16 * 1024 * 1024

/** Appends a line. Rejects with a Fault where the line cannot be written. The data directory must be there. */
export const appendAuditLine = async (dataDir: string, line: JsonObject): Promise<void> => {
  const file = join(dataDir, 'state', 'audit.jsonl')
  try {
    const owner = await ownerOf(dataDir)
    await makeStateFolder(dirname(file), owner)
    await rotateFull(file, owner)
    await append(file, line, owner)
  } catch (error) {
    throw diskFault('write', file, error)
  }
}

type Owner = { readonly uid: number; readonly gid: number }

/**
 * Returns the owner of the data directory where this process runs as root: a file that only root can write would lock the service's user
 * out.
 */
const ownerOf = async (dataDir: string): Promise<Owner | undefined> => (process.getuid?.() === 0 ? stat(dataDir) : undefined)

const makeStateFolder = async (folder: string, owner: Owner | undefined): Promise<void> => {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    throw error
  }
  if (!owner) return
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  await handle.chown(owner.uid, owner.gid).finally(() => handle.close())
}

const append = async (file: string, line: JsonObject, owner: Owner | undefined): Promise<void> => {
  const handle = await openToAppend(file, owner)
  try {
    await handle.appendFile(`${JSON.stringify(line)}\n`)
  } finally {
    await handle.close()
  }
}

/** `O_NOFOLLOW`: the service's user owns the folder, and could put a link there that leads root to another file. */
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW

const openToAppend = async (file: string, owner: Owner | undefined): Promise<FileHandle> => {
  try {
    return await open(file, flags)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  try {
    const handle = await open(file, flags | constants.O_CREAT | constants.O_EXCL, 0o600)
    if (owner) await handle.chown(owner.uid, owner.gid)
    return handle
  } catch (error) {
    // Another process has made the file since.
    if (codeOf(error) === 'EEXIST') return open(file, flags)
    throw error
  }
}

/**
 * Renames a full file to `audit.jsonl.1`. The new file gets a line that says so, and whether older lines went with an earlier
 * `audit.jsonl.1`.
 */
const rotateFull = async (file: string, owner: Owner | undefined): Promise<void> => {
  if (!(await isFull(file))) return
  const { lockFile } = await import('../../config/writing/file-lock.ts')
  const lock = await lockFile(file)
  try {
    // Another process may have renamed the file while this process waited for the lock.
    if (!(await isFull(file))) return
    const droppedOlder = (await sizeOf(`${file}.1`)) !== undefined
    await moveFile(file, `${file}.1`)
    const at = new Date().toISOString()
    await append(file, { at, by: 'headgate', action: 'rotate_audit', on: { kept: 'audit.jsonl.1', dropped_older: droppedOlder } }, owner)
  } finally {
    await lock.release()
  }
}

const isFull = async (file: string): Promise<boolean> => ((await sizeOf(file)) ?? 0) >= maxBytes

const sizeOf = async (file: string): Promise<number | undefined> => {
  try {
    return (await lstat(file)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
