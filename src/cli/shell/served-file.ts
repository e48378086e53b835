/** Finds the file that the running gateway reads as `config.yaml`, so that commands see the routes that are served. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '../../app/workspace.ts'
import { controlSocket } from '../../http/control/socket-path.ts'

/**
 * Returns the workspace with the file that the running gateway reads, where that is none of the data directory. HEADGATE_CONFIG goes before
 * it. An older gateway does not say.
 */
export const withServedFile = async <T extends Pick<Workspace, 'dataDir' | 'configFile' | 'self'>>(workspace: T): Promise<T> => {
  const { dataDir, configFile } = workspace
  if (configFile !== undefined || !existsSync(controlSocket(dataDir))) return workspace
  const { gatewayAt } = await import('../../http/control/client.ts')
  const served = await (await gatewayAt(workspace).find())?.servedFile().catch(() => undefined)
  return served === undefined || served.config === join(dataDir, 'config.yaml') ? workspace : { ...workspace, configFile: served.config }
}
