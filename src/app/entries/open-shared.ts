/** Opens what gateways share for one command, which may run without a gateway. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { systemClock } from '../../core/clock.ts'
import { stores, storesByName } from '../../store/index.ts'
import type { Shared } from '../../store/shared.ts'
import { storeOptions } from '../store-options.ts'
import type { Workspace } from '../workspace.ts'

/** How long a command waits for the server. */
const connectMs = 3_000

/** Returns the configuration where it names a store that gateways share. Another configuration is not parsed for that. */
export const sharedConfig = (workspace: Workspace): Config | undefined => {
  const text = textOf(join(workspace.dataDir, 'config.yaml'))
  if (!stores.some(({ name, ownership }) => ownership === 'shared' && text.includes(name))) return undefined
  const { config } = loadConfig(workspace)
  return storesByName.get(config.storage.kind)?.ownership === 'shared' ? config : undefined
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Whoever loads the configuration reports this.
    return ''
  }
}

/** Opens the store of a `sharedConfig` and closes it after the use. Throws a Fault where it cannot be opened. */
export const withShared = async <T>(config: Config, use: (shared: Shared) => Promise<T>): Promise<T> => {
  const store = await storesByName.get(config.storage.kind)?.open({ ...storeOptions(config, systemClock), connectMs })
  try {
    // Cannot happen: a store that several processes may open has something to share.
    if (!store?.shared) throw new Error(`the store ${config.storage.kind} shares nothing`)
    return await use(store.shared)
  } finally {
    await store?.close()
  }
}
