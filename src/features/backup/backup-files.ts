/** Names the files of a data directory that a backup has, and decides which names a restore accepts. */

import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { jobsFileName } from '../../config/jobs.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import { filesBelow } from '../../datadir/files-below.ts'
import { pausesFileName } from '../../datadir/paused-routes.ts'
import { listsFileName } from '../../expr/named-lists.ts'

/** The folders into which a restore moves what was there before, each with the time of the restore. */
export const asidePrefix = 'before-restore-'

const maxDepth = 12

const entriesFile = new RegExp(
  `^(?:${subscriptionsFileName}|${pausesFileName}|${listsFileName}|(?:profiles/[^/]+/)?${jobsFileName})$`.replaceAll('.json', '\\.json'),
)
/** Backups that lie in the data directory, and parts of them. */
const archiveName = /\.tar\.gz(?:\.[^/]*\.part)?$/
/** The files below `state/` that a backup may have, besides the database. */
const stateFile = /^state\/(?:events\/\d{10}\.(?:jsonl|raw)|audit\.jsonl(?:\.1)?|alerts\.json|comment-key)$/
/** Segments of the path of a file: no way out of the data directory, and nothing that a terminal or a system reads in another way. */
const nameSegment = /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u

export type BackupFileKind = 'database' | 'events' | 'entries' | 'state' | 'config'

/**
 * Returns the kind of a file of a backup by its name, which is its path below the data directory; `undefined` for a name that no backup
 * has. `database`: the name of the database file.
 */
export const fileKind = (name: string, database: string | undefined): BackupFileKind | undefined => {
  const segments = name.split('/')
  if (name.length > 1024 || !segments.every((segment) => nameSegment.test(segment))) return undefined
  if (database !== undefined && name === `state/${database}`) return 'database'
  if (segments[0] === 'state') return !stateFile.test(name) ? undefined : segments[1] === 'events' ? 'events' : 'state'
  if (entriesFile.test(name)) return 'entries'
  return segments[0]?.startsWith(asidePrefix) || name === manifestName ? undefined : 'config'
}

/** The name of the list of all files, the last entry of a backup. */
export const manifestName = 'headgate-backup.json'

/**
 * Returns the names of the files of the data directory that are of one of these kinds, those of the journal and the database left out.
 * `odd`: the names of links and of other files that are not regular; a backup leaves these out.
 */
export const namesBelow = (dataDir: string, kinds: ReadonlySet<BackupFileKind>): { readonly names: string[]; readonly odd: string[] } => {
  const without = new Set(['events', 'sender-keys', 'node_modules', '.git'])
  const paths = filesBelow(dataDir, { depth: maxDepth, isWanted: () => true, without })
  const names: string[] = []
  const odd: string[] = []
  for (const path of paths) {
    const name = path.slice(dataDir.length + 1)
    const kind = fileKind(name, undefined)
    if (!kind || !kinds.has(kind) || archiveName.test(name) || (name === 'state/comment-key' && !kinds.has('config'))) continue
    if (statOf(dataDir, name)?.isFile()) names.push(name)
    else odd.push(name)
  }
  return { names, odd }
}

const statOf = (dataDir: string, name: string): Stats | undefined => lstatSync(join(dataDir, name), { throwIfNoEntry: false })
