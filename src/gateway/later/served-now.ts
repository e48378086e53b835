/** Lists the routes that a gateway serves at this moment. */

import type { Served } from '../../plan/table.ts'
import type { LiveConfig } from '../../serve/live-config.ts'

/** Returns the enabled routes of the configuration, and the subscriptions. */
export const servedNow = ({ table, base }: Pick<LiveConfig, 'table' | 'base'>): readonly Served[] => {
  base.subscriptions.refresh()
  return [...[...table.configured.values()].filter(({ plan }) => plan !== undefined), ...base.subscriptions.beside(table.configured)]
}
