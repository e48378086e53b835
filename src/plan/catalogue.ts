/**
 * The catalogue: the parts that a configuration is compiled with. They are the built-in parts, the parts of its plugins, and the signature
 * schemes that it describes.
 */

import type { Config } from '../config/config.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { endings } from '../parts/endings/index.ts'
import { lookupsByName } from '../parts/lookups/index.ts'
import { operatorsByName } from '../parts/operators/index.ts'
import { runnersByName } from '../parts/runners/index.ts'
import { presets, schemes } from '../parts/schemes/index.ts'
import { stages } from '../parts/stages/index.ts'
import { platformOf } from '../parts/targets/delivery/settings.ts'
import { targetsByName } from '../parts/targets/index.ts'
import { toolsetsByName } from '../parts/tools/index.ts'
import type { Catalogue } from './compile.ts'
import { ownSchemes } from './own-schemes.ts'
import { LoadedPlugins, loadPlugins } from './plugins/load-plugins.ts'
import { unreadSettings } from './settings.ts'

export const builtinCatalogue: Catalogue = {
  stages,
  endings,
  schemes,
  // A route may name a sender by its second name as well, as forgejo for gitea.
  namedSchemes: new Map(presets.flatMap((preset) => [preset.name, ...(preset.aliases ?? [])].map((name) => [name, { ...preset, name }]))),
  operators: operatorsByName,
  runners: runnersByName,
  targets: targetsByName,
  toolsets: toolsetsByName,
  lookups: lookupsByName,
}

/**
 * Returns the built-in parts with the signature schemes and the plugins of a configuration. The Diagnostics are about these schemes and
 * plugins, and about keys under `platforms` that no target reads. A plugin is loaded unless it is in `loaded` already.
 */
export const catalogueOf = async (
  config: Config,
  builtins: Catalogue = builtinCatalogue,
  loaded = new LoadedPlugins(),
): Promise<{ readonly catalogue: Catalogue; readonly diagnostics: readonly Diagnostic[] }> => {
  const own = ownSchemes(config)
  const { catalogue: all, diagnostics } = await loadPlugins(
    config,
    { ...builtins, namedSchemes: new Map([...builtins.namedSchemes, ...own.schemes]) },
    loaded,
  )
  // A plugin's target may read the section of a built-in platform. Then the section may have keys that only the plugin knows.
  const plugged = new Set([...all.targets.values()].filter(({ name }) => !builtins.targets.has(name)).map(platformOf))
  const builtin = [...builtins.targets.values()].filter((part) => !plugged.has(platformOf(part)))
  const unread = [...config.profiles.values()].flatMap((profile) => unreadSettings(profile, builtin))
  return { catalogue: all, diagnostics: [...own.diagnostics, ...diagnostics, ...unread] }
}
