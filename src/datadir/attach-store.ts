/** Opens the store that gateways share, for a command beside them, whether or not a gateway runs. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { Fault } from '../core/fault.ts'
import { knownSecrets } from '../plan/known-secrets.ts'
import { createRedactor } from '../secrets/redact.ts'
import { stores, storesByName } from '../store/index.ts'
import type { Shared } from '../store/shared.ts'
import type { Attached, StoreAccess, StoreOptions } from '../store/store-part.ts'
import { referencesIn, withNeededSecrets } from './secrets/with-secrets.ts'
import { configFile, type Workspace } from './workspace.ts'

/** Makes the options with which the store of a configuration is opened or inspected. */
export const storeOptions = ({ dataDir, storage: { durability, schema, url = '' } }: Config, clock: Clock): StoreOptions => ({
  folder: join(dataDir, 'state'),
  durability,
  clock,
  url: () => url,
  schema,
})

/**
 * Returns the configuration where it names a shared store, else `undefined`. A program is asked for the address of the database alone. To
 * save time, a file whose text has no name of a shared store is not parsed.
 */
export const sharedConfig = async (workspace: Workspace): Promise<Config | undefined> => {
  const text = faultText(configFile(workspace))
  if (!stores.some(({ name, attach }) => attach !== undefined && text.includes(name))) return undefined
  const { config } = loadConfig(await withNeededSecrets(workspace, (loaded) => referencesIn(loaded, [loaded.storage.url])))
  return storesByName.get(config.storage.kind)?.attach ? config : undefined
}

const faultText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A file that cannot be read is reported when the configuration is loaded.
    return ''
  }
}

/** Opens the shared store of a data directory; `undefined` where the store is not shared. Throws a Fault where it cannot be opened. */
export const attachStore = async (workspace: Workspace, access: StoreAccess): Promise<Attached | undefined> => {
  const config = await sharedConfig(workspace)
  return config && attachTo(config, access)
}

/** Opens the store of a `sharedConfig`, and closes it after `use`. Throws a Fault where it cannot be opened, and what `use` throws. */
export const withShared = async <T>(config: Config, access: StoreAccess, use: (shared: Shared) => Promise<T>): Promise<T> => {
  const { shared, close } = await attachTo(config, access)
  try {
    return await use(shared)
  } finally {
    await close()
  }
}

const attachTo = async (config: Config, access: StoreAccess): Promise<Attached> => {
  const attached = await storesByName
    .get(config.storage.kind)
    ?.attach?.(storeOptions(config, systemClock), access)
    .catch((error) => {
      // The address of the store may come from a program, and only this process knows it then, so it is redacted here.
      throw error instanceof Fault ? error.reworded(createRedactor(knownSecrets(config))) : error
    })
  // Never thrown: `sharedConfig` returns a configuration only where its store has `attach`.
  if (!attached) throw new Error(`the store ${config.storage.kind} is not shared`)
  return attached
}
