/** Lists the paths of the files and folders that the program uses, most of them in the data directory, whether they exist or not. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jobsFileName } from '../config/jobs.ts'
import { subscriptionsFileName } from '../config/subscriptions.ts'
import { builtInSamplesFolder } from '../parts/body/sample-payload.ts'
import { configFile, type Workspace } from './workspace.ts'

export type NamedPath = { readonly name: string; readonly path: string; readonly exists: boolean }

/**
 * The file of the configuration's schema. This module finds it from its own place, which is `dist/` in the bundle and `src/datadir/` in the
 * source.
 */
const schemaFile = fileURLToPath(
  new URL(`${import.meta.url.endsWith('.ts') ? '../../' : '../'}schema/headgate.schema.json`, import.meta.url),
)

const placesBelow: readonly (readonly [name: string, ...parts: string[]])[] = [
  ['env', '.env'],
  ['subscriptions', subscriptionsFileName],
  ['jobs', jobsFileName],
  ['scripts', 'scripts'],
  ['skills', 'skills'],
  ['profiles', 'profiles'],
  ['samples', 'samples'],
  ['state', 'state'],
  ['database', 'state', 'headgate.db'],
  ['events', 'state', 'events'],
  ['sender_keys', 'state', 'sender-keys'],
]

/**
 * Returns all paths with their names in the output, and whether each exists. `socket`: the path of the gateway's control socket, which the
 * caller gives, because this folder must not import the module that decides on it.
 */
export const namedPaths = (workspace: Workspace, socket: string): readonly NamedPath[] => {
  const { dataDir } = workspace
  const below = placesBelow.map(([name, ...parts]) => [name, join(dataDir, ...parts)] as const)
  const all = [
    ['data_dir', dataDir] as const,
    ['config', configFile(workspace)] as const,
    ...below,
    ['socket', socket] as const,
    ['built_in_samples', builtInSamplesFolder] as const,
  ]
  return [...all, ['schema', schemaFile] as const].map(([name, path]) => ({ name, path, exists: existsSync(path) }))
}
