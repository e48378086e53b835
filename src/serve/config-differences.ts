/** Renders what differs between two configurations, as two texts to compare. */

import type { Config } from '../config/config.ts'
import { withRoutes } from '../config/sections.ts'
import type { RouteChanges } from '../core/facts/fact.ts'
import type { JsonObject } from '../core/json.ts'
import { configText, maskedConfig } from '../datadir/masked-config.ts'
import type { ReloadResult } from '../generated/control.ts'

/**
 * Returns the configuration in use and the one in the files as YAML, with secrets masked. Of the routes, each has only those that differ:
 * thousands would hold requests up.
 */
export const differencesOf = (
  before: Config,
  next: Config,
  { added, changed, removed }: RouteChanges,
): NonNullable<ReloadResult['differences']> => ({
  served: textOf(before, [...changed, ...removed]),
  files: textOf(next, [...changed, ...added]),
})

const textOf = (config: Config, names: readonly string[]): string => {
  const specs = names.toSorted().flatMap((name) => {
    const spec = config.routes.get(name)?.spec
    return spec ? [[name, spec as JsonObject] as const] : []
  })
  return configText(maskedConfig(withRoutes(config.sections, Object.fromEntries(specs)), config))
}
