/** Says why this user may not write into the data directory, and which command gives it to the user. */

import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, exit, Fault, messageOf } from '../../core/fault.ts'
import { quoted } from '../../core/text.ts'

/**
 * `why`: a clause. `fix`: what to do, for a refusal a command for root. `isRefused`: the permissions are the reason, and not, for example, a
 * file system that is read-only.
 */
type Closed = { readonly why: string; readonly fix: string; readonly isRefused: boolean }

/** Returns the permissions of a file in octal, such as `0700`. */
export const octalMode = ({ mode }: Stats): string => (mode & 0o7777).toString(8).padStart(4, '0')

/**
 * Returns why this process cannot write into the data directory or into `state` in it, or cannot make it; `undefined` where the system
 * allows it.
 */
export const whyClosed = (dataDir: string): Closed | undefined => {
  if (existsSync(dataDir)) return whyClosedFolder(dataDir) ?? whyClosedFolder(join(dataDir, 'state'))
  const closed = whyClosedFolder(nearestFolder(dirname(dataDir)))
  if (!closed?.isRefused) return closed
  return {
    ...closed,
    why: `it is not there, and ${closed.why}`,
    fix: `install -d -m 700 -o ${ids.uid()} -g ${ids.gid()} ${quoted(dataDir)}`,
  }
}

/** Throws a Fault where this user may not write into the data directory. */
export const requireDataFolder = (dataDir: string): void => {
  const closed = whyClosed(dataDir)
  // Any other reason why it cannot be written is reported by the code that writes.
  if (!closed?.isRefused) return
  throw new Fault('cannot_write', `cannot write into the data directory ${dataDir}: ${closed.why}`, {
    exitCode: exit.no,
    hint: `${closed.fix} (as root; for a container on its host, with the folder that is mounted there)`,
  })
}

const whyClosedFolder = (folder: string): Closed | undefined => {
  try {
    const stat = statSync(folder, { throwIfNoEntry: false })
    return stat?.isDirectory() ? whyRefused(folder, stat) : undefined
  } catch (error) {
    return { why: messageOf(error), fix: 'use another one: --data-dir <folder>', isRefused: false }
  }
}

/** Throws an error of the system for other reasons than permissions. */
const whyRefused = (folder: string, stat: Stats): Closed | undefined => {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
  }
  const [uid, gid] = [ids.uid(), ids.gid()]
  const owned = `${folder} belongs to user ${stat.uid} and group ${stat.gid} with mode ${octalMode(stat)}`
  if (stat.uid === uid) return { why: owned, fix: `chmod u+rwx ${quoted(folder)}`, isRefused: true }
  return { why: `${owned}, and this is user ${uid}, group ${gid}`, fix: `chown -R ${uid}:${gid} ${quoted(folder)}`, isRefused: true }
}

/** The user and the group of this process. Windows has neither, and refuses no folder in this way. */
const ids = { uid: (): number => process.getuid?.() ?? 0, gid: (): number => process.getgid?.() ?? 0 }

const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)))
