/**
 * Checks the store. A running gateway is asked for its state. Where none runs, the store is inspected without changing it: the files of a
 * store of one gateway, or the server of a shared store.
 */

import { systemClock } from '../../core/clock.ts'
import { storeOptions } from '../../datadir/attach-store.ts'
import { type Check, type CheckInput, fail, ok } from '../../datadir/check.ts'
import { storesByName } from '../../store/index.ts'

const name = 'store'

export const checkStore = async ({ loaded: { config }, status }: CheckInput): Promise<readonly Check[]> => {
  const { kind } = config.storage
  if (!status) {
    const seen = await storesByName.get(kind)?.inspect?.(storeOptions(config, systemClock))
    return seen ? [{ name, ...seen }] : []
  }
  if (status.backlog === null)
    return [fail(name, 'the gateway runs, but its store does not answer', 'look at its log: the disk may be full or broken')]
  return [ok(name, `${kind}, asked through the gateway: ${status.backlog} ${status.backlog === 1 ? 'run waits' : 'runs wait'}`)]
}
