/** Returns the configuration of a data directory as one map, with the routes of all its files. */

import { type Loaded, loadConfig, unreadIn } from '../../config/load.ts'
import { configSchema } from '../../config/schema-walk.ts'
import { sectionsOf, withRoutes } from '../../config/sections.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { maskedConfig, maskWritten } from '../../datadir/masked-config.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { withDefaults } from './with-defaults.ts'

/** The configuration with its secrets masked; absent where the `problems` keep it from being known. `texts`: of the files that were read. */
export type ShownConfig = {
  readonly config?: JsonObject
  readonly problems: readonly Diagnostic[]
  readonly texts: Loaded['texts']
}

/**
 * Returns the configuration as it is written. `resolved`: with the defaults, and with variables, secrets and settings of the environment
 * in their places. That needs a configuration that a gateway would start with; the other only needs files that can be read.
 */
export const showConfig = (workspace: Workspace, { resolved }: { readonly resolved: boolean }): ShownConfig => {
  const loaded = loadConfig(workspace)
  const { texts, config } = loaded
  const problems = resolved ? loaded.diagnostics.filter(({ stopsStart }) => stopsStart) : unreadIn(loaded)
  if (problems.length > 0) return { problems, texts }
  const shown = resolved ? maskedConfig(resolvedConfig(loaded), config) : maskedConfig(writtenConfig(loaded), config, maskWritten)
  return { config: shown, problems, texts }
}

const writtenConfig = ({ sources }: Loaded): JsonObject => {
  const dataOf = ({ data }: Loaded['sources'][number]): JsonObject => (isObject(data) ? data : {})
  const main = sources.filter(({ schema }) => schema === configSchema).map(dataOf)[0] ?? {}
  const included = sources.filter(({ schema }) => schema !== configSchema).map(dataOf)
  const parts = [webhookOf(main), ...included].map(({ routes }) => (isObject(routes) ? routes : {}))
  return withRoutes(sectionsOf(main), Object.fromEntries(parts.flatMap((routes) => Object.entries(routes))))
}

/** Returns the settings of the adapter as they count, with its routes. */
const webhookOf = ({ platforms }: JsonObject): JsonObject => {
  const { extra, ...direct } = isObject(platforms) && isObject(platforms.webhook) ? platforms.webhook : {}
  return { ...direct, ...(isObject(extra) ? extra : {}) }
}

const resolvedConfig = ({ config }: Loaded): JsonObject => {
  const { sections, enabled, host, port, globalSecret, routes } = config
  const written = { ...webhookOf(sections), enabled, host, port, ...(globalSecret === undefined ? {} : { secret: globalSecret }) }
  const specs = Object.fromEntries([...routes.values()].map(({ name, spec }) => [name, spec as JsonObject]))
  return withDefaults(sections, { ...written, ...(routes.size === 0 ? {} : { routes: specs }) })
}
