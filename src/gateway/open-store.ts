/** Opens the store of a gateway, and the folder with the public keys of senders. */

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Facts } from '../core/facts/facts.ts'
import type { Log } from '../core/log.ts'
import { storeOptions } from '../datadir/attach-store.ts'
import { type KeyFolder, openKeyFolder } from '../serve/key-folder.ts'
import { storesByName } from '../store/index.ts'
import type { OpenStore } from '../store/store-part.ts'

/**
 * Opens the store that the first configuration names. `current` returns the present configuration. Throws a Fault or a StoreFault. Each
 * commit of the store is emitted as a fact.
 */
export const openStore = (first: Config, clock: Clock, facts: Pick<Facts, 'emit'>, current: () => Config): Promise<OpenStore> => {
  const part = storesByName.get(first.storage.kind)
  // Never thrown: the shape check refuses an unknown kind of store, and its finding stops the start.
  if (!part) throw new Error(`no store "${first.storage.kind}"`)
  const committed = (ok: boolean, calls: number, ms: number): void => facts.emit({ kind: 'commit_ended', ok, calls, ms })
  return part.open({ ...storeOptions(first, clock), url: () => current().storage.url ?? '', committed })
}

/** Whether the store keeps its contents past the end of the process. */
export const isLasting = ({ kind }: Config['storage']): boolean => storesByName.get(kind)?.isLasting === true

/**
 * Opens the folder of senders' keys; `undefined` where the store keeps nothing past the end of the process, so keys need not be kept
 * either.
 */
export const openKeys = async ({ dataDir, storage }: Config, log: Log): Promise<KeyFolder | undefined> => {
  if (!isLasting(storage)) return undefined
  return await openKeyFolder(join(dataDir, 'state', 'sender-keys'), (reason) =>
    log('warn', { reason }, 'a key of a sender could not be kept: after a restart it is fetched again'),
  )
}
