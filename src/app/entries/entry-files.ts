/** The files of subscriptions and jobs that were made at run time, and the names under which gateways share the entries of each file. */

import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { jobsFileOf } from '../../config/jobs.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'

/** `name`: the name of the entries in the database. Every data directory has the same names. */
export type EntryFile = { readonly name: string; readonly file: string }

export const entryFilesOf = ({ dataDir, profiles }: Pick<Config, 'dataDir' | 'profiles'>): readonly EntryFile[] => [
  { name: 'subscriptions', file: join(dataDir, subscriptionsFileName) },
  ...[...profiles.values()].map((profile) => ({ name: `jobs/${profile.name}`, file: jobsFileOf(profile) })),
]
