/** Finds the file that the running gateway reads as `config.yaml`, and its address, so that commands see the routes as they are served. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '../../datadir/workspace.ts'
import { controlSocket } from '../../http/control/socket-path.ts'

/**
 * Returns the workspace with the address of the running gateway, and the file that it reads, where that is none of the data directory.
 * HEADGATE_CONFIG goes before that file. An older gateway does not say.
 */
export const withServedFile = async <T extends Pick<Workspace, 'dataDir' | 'configFile' | 'listensAt' | 'self'>>(
  workspace: T,
): Promise<T> => {
  const { dataDir, configFile } = workspace
  if (!existsSync(controlSocket(dataDir))) return workspace
  const { gatewayAt } = await import('../../http/control/client.ts')
  const served = await (await gatewayAt(workspace).find())?.servedFile().catch(() => undefined)
  if (served === undefined) return workspace
  const isOwn = configFile !== undefined || served.config === join(dataDir, 'config.yaml')
  return { ...workspace, listensAt: served.url, ...(isOwn ? {} : { configFile: served.config }) }
}
