/** Checks the store. A running gateway is asked for its state; without one, the files in its folder are inspected. */

import { systemClock } from '../../core/clock.ts'
import { storesByName } from '../../store/index.ts'
import { storeOptions } from '../store-options.ts'
import { type Check, fail, ok, type Patient } from './check.ts'

const name = 'store'

export const checkStore = async ({ loaded: { config }, status }: Patient): Promise<readonly Check[]> => {
  const { kind } = config.storage
  if (!status) {
    const seen = await storesByName.get(kind)?.inspect?.(storeOptions(config, systemClock))
    return seen ? [{ name, ...seen }] : []
  }
  if (status.backlog === null)
    return [fail(name, 'the gateway runs, but its store does not answer', 'look at its log: the disk may be full or broken')]
  return [ok(name, `${kind}, asked through the gateway: ${status.backlog} ${status.backlog === 1 ? 'run waits' : 'runs wait'}`)]
}
