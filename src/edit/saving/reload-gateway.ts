/** Makes a running gateway reload its configuration after a save. */

import { messageOf } from '../../core/fault.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'

/**
 * Makes a running gateway reload. Returns sentences that say what happened; none when no gateway runs. Never throws, because the file has
 * been written already, and saving it did not fail.
 */
export const reloadAfterSave = async ({ self }: Workspace, finder: GatewayFinder): Promise<readonly string[]> => {
  try {
    const gateway = await finder.find()
    if (!gateway) return []
    // The user saw what the change removes before saving it.
    const { ok, diagnostics, restart } = await gateway.reload({ force: true })
    const [first] = diagnostics.filter(({ stopsStart }) => stopsStart)
    if (!ok) return [`the running gateway refused it and serves what it had${first ? `: ${first.code} ${first.message}` : ''}`]
    return ['the running gateway took it over', ...(restart.length > 0 ? [`these need a restart: ${restart.join(', ')}`] : [])]
  } catch (error) {
    return [`the running gateway did not take it over (${messageOf(error)}): ${self} gateway reload`]
  }
}
