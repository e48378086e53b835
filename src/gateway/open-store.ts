/** Opens what a gateway stores its work in: the store, and the folder of senders' keys. */

import { join } from 'node:path'
import { type KeyFolder, openKeyFolder } from '../app/live/key-folder.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { storesByName } from '../store/index.ts'
import type { Store } from '../store/ports.ts'

/** Opens the store that the configuration names. Throws a Fault. */
export const openStore = ({ dataDir, storage }: Config, clock: Clock): Promise<Store> => {
  const part = storesByName.get(storage.kind)
  // Cannot happen: the shape check refuses an unknown kind, and its finding stops the start.
  if (!part) throw new Error(`no store "${storage.kind}"`)
  return part.open({ folder: join(dataDir, 'state'), durability: storage.durability, clock })
}

/** Opens the folder of senders' keys; `undefined` where the store is not lasting. */
export const openKeys = async ({ dataDir, storage }: Config, log: Log): Promise<KeyFolder | undefined> => {
  if (!storesByName.get(storage.kind)?.isLasting) return undefined
  return await openKeyFolder(join(dataDir, 'state', 'sender-keys'), (reason) =>
    log('warn', { reason }, 'a key of a sender could not be kept: after a restart it is fetched again'),
  )
}
