/**
 * Names the files of subscriptions, jobs, pauses and lists that were made at run time, and the names under which the database of a shared store
 * has their entries.
 */

import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { jobsFileOf } from '../../config/jobs.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import { listsFileName } from '../../expr/named-lists.ts'
import { pausesFileName } from '../paused-routes.ts'

/** `name`: the name of the entries in the database, which is the same for all data directories. `file`: the path of the file. */
export type EntryFile = { readonly name: string; readonly file: string }

/** Returns the files of subscriptions, pauses and lists of the data directory, and the jobs file of each profile. */
export const entryFilesOf = ({ dataDir, profiles }: Pick<Config, 'dataDir' | 'profiles'>): readonly EntryFile[] => [
  { name: 'subscriptions', file: join(dataDir, subscriptionsFileName) },
  { name: 'pauses', file: join(dataDir, pausesFileName) },
  { name: 'lists', file: join(dataDir, listsFileName) },
  ...[...profiles.values()].map((profile) => ({ name: `jobs/${profile.name}`, file: jobsFileOf(profile) })),
]
