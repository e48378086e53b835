/** Opens what the gateways on a shared store have in common, for a command in whose data directory no gateway runs. */

import { loadConfig } from '../../config/load.ts'
import { systemClock } from '../../core/clock.ts'
import { storesByName } from '../../store/index.ts'
import type { Shared } from '../../store/shared.ts'
import { storeOptions } from '../store-options.ts'
import type { Workspace } from '../workspace.ts'

/** Calls `use` with what the gateways on the store have in common; `undefined` for a store of one gateway. Throws a Fault, or StoreFault. */
export const withShared = async <T>(workspace: Workspace, use: (shared: Shared) => Promise<T>): Promise<T | undefined> => {
  const { config } = loadConfig(workspace)
  const shared = await storesByName.get(config.storage.kind)?.openShared?.(storeOptions(config, systemClock))
  if (!shared) return undefined
  try {
    return await use(shared)
  } finally {
    await shared.close()
  }
}
