/** Lists the targets that are down in the running gateway, and resets their breakers. */

import { exit, Fault } from '../../core/fault.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { OpenBreaker } from '../../generated/control.ts'
import { targetName } from '../../parts/written-names.ts'

/** Resolves to the breakers that are not closed; `undefined` where no gateway runs. */
export const readBreakers = async (finder: GatewayFinder): Promise<readonly OpenBreaker[] | undefined> =>
  (await (await finder.find())?.breakers())?.breakers

/**
 * Lets the gateway try at once a target that is down, or only the given address of the target. Resolves to the addresses whose breaker was
 * reset. Throws a Fault where no gateway runs (exit 4), and where no such breaker is open.
 */
export const resetBreakers = async (finder: GatewayFinder, named: string, address: string | undefined): Promise<readonly string[]> => {
  const gateway = await finder.need()
  const target = targetName(named)
  const { reset } = await gateway.resetBreaker({ target, ...(address === undefined ? {} : { address }) })
  if (reset.length > 0) return reset.map((each) => each.address)
  const { breakers } = await gateway.breakers()
  const where = address === undefined ? target : `${target} at ${address}`
  const suggest = breakers.map((each) => `${each.target} ${each.address}`.trim())
  throw new Fault('not_found', `no breaker is open for ${where}`, { exitCode: exit.notFound, suggest })
}
