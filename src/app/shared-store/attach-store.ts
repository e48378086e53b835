/** Opens the store that gateways share, for a command beside them. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadConfig } from '../../config/load.ts'
import { systemClock } from '../../core/clock.ts'
import { stores, storesByName } from '../../store/index.ts'
import type { Attached } from '../../store/store-part.ts'
import { storeOptions } from '../store-options.ts'
import type { Workspace } from '../workspace.ts'

/** Opens the shared store that the configuration names; `undefined` where it names another store. Throws a Fault. */
export const attachStore = async (workspace: Workspace, may: 'read' | 'change'): Promise<Attached | undefined> => {
  if (!(await mayShare(workspace))) return undefined
  const { config } = loadConfig(workspace)
  return await storesByName.get(config.storage.kind)?.attach?.(storeOptions(config, systemClock), may)
}

/** Whether the configuration has the name of a shared store somewhere. Without it, a command that reads events parses no configuration. */
const mayShare = async ({ dataDir }: Workspace): Promise<boolean> => {
  const text = await readFile(join(dataDir, 'config.yaml'), 'utf8').catch(() => '')
  return stores.some(({ name, attach }) => attach !== undefined && text.includes(name))
}
