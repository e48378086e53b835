/** The targets of the plugins that a configuration names, beside the built-in ones; what is wrong with a plugin is a Diagnostic, never a throw. */

import { type Config, defaultProfile, type PluginSource, type Profile } from '../config/config.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import { platformOf } from '../parts/targets/kit/settings.ts'
import type { TargetPart } from '../parts/targets/target.ts'
import { type LoadedModules, loadModule } from './plugin-module.ts'
import { type PluginTarget, readPlugin } from './plugin-target.ts'
import { pluginTarget, unpluggedHelp } from './route-rules.ts'

type Targets = ReadonlyMap<string, TargetPart>
export type Plugged = { readonly targets: Targets; readonly diagnostics: readonly Diagnostic[] }

/** The targets of plugins that were loaded. */
export type LoadedPlugins = LoadedModules<readonly PluginTarget[]>

/** Loads what is named and is not in `loaded`, one after the other. */
export const loadPlugins = async (
  config: Pick<Config, 'dataDir' | 'plugins' | 'profiles'>,
  builtins: Targets,
  loaded: LoadedPlugins,
): Promise<Plugged> => {
  const targets = new Map(builtins)
  const diagnostics: Diagnostic[] = []
  const plugged: PluginTarget[] = []
  for (const source of config.plugins) {
    try {
      for (const one of await loadModule(source.name, config.dataDir, loaded, (module) => readPlugin(module, builtins))) {
        if (targets.has(one.part.name)) throw new Error(`the target "${one.part.name}" is there already`)
        targets.set(one.part.name, one.part)
        plugged.push(one)
      }
    } catch (error) {
      diagnostics.push(unusable(source, error))
    }
  }
  const checked = [...config.profiles.values()].flatMap((profile) => [
    ...plugged.flatMap(({ checkSettings }) => checkSettings(profile)),
    ...(diagnostics.length > 0 ? [] : unclaimed(profile, [...targets.values()])),
  ])
  return { targets, diagnostics: [...diagnostics, ...checked] }
}

const unusable = ({ name, place, pointer }: PluginSource, error: unknown): Diagnostic =>
  diagnostic('WH710', `the plugin ${printable(name, 200)} cannot be used: ${printable(messageOf(error), 500)}`, {
    place,
    pointer,
    help: 'mend it, or take it out of the list',
  })

/** Sections under `platforms` that look like a plugin's, but that no target reads: most likely a slip. */
const unclaimed = ({ name, platforms, place }: Profile, targets: readonly TargetPart[]): Diagnostic[] => {
  const known = new Set(targets.map(platformOf))
  return Object.keys(platforms).flatMap((platform) => {
    if (!pluginTarget.test(platform) || known.has(platform)) return []
    const path = ['platforms', platform]
    const of = name === defaultProfile ? '' : `profile "${name}": `
    return diagnostic('WH704', `${of}no plugin reads the settings "${platform}"`, {
      pointer: pointerOf(path),
      help: unpluggedHelp(platform, known),
      ...(place ? { place: place(path, 'key') } : {}),
    })
  })
}
