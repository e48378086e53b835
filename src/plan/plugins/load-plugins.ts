/** Loads the plugins that a configuration names, and adds their parts to the built-in parts. A bad plugin gives a Diagnostic. */

import { type Config, defaultProfile, type PluginSource, type Profile } from '../../config/config.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import { messageOf } from '../../core/fault.ts'
import { pluginNamePattern, unknownPluginHelp } from '../../core/names.ts'
import { printable } from '../../core/text.ts'
import { platformOf } from '../../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../../parts/targets/target.ts'
import { Redactor } from '../../secrets/redact.ts'
import type { Catalogue } from '../compile.ts'
import { knownSecrets } from '../known-secrets.ts'
import { loadModule } from './plugin-module.ts'
import { type PluginParts, readPlugin } from './plugin-parts.ts'
import type { PluginTarget } from './plugin-target.ts'

export type PluggedCatalogue = { readonly catalogue: Catalogue; readonly diagnostics: readonly Diagnostic[] }

/**
 * The parts of loaded plugins, by the addresses of their modules; and the secrets of all configurations that the plugins served. The
 * messages of plugins must not show these secrets.
 */
export class LoadedPlugins {
  readonly modules = new Map<string, PluginParts>()
  readonly secrets = new Redactor()
  readonly hide = (text: string): string => this.secrets.redact(text)
}

/**
 * Adds the parts of the plugins that the configuration names. Plugins that are not in `loaded` are loaded, one after the other. Also checks
 * the sections under `platforms` that targets of plugins read. Where all plugins can be used, reports the sections that have the form of a
 * plugin's name and that no target reads.
 */
export const loadPlugins = async (config: Config, builtins: Catalogue, loaded: LoadedPlugins): Promise<PluggedCatalogue> => {
  const registry = openRegistry(builtins)
  const diagnostics: Diagnostic[] = []
  const { modules, secrets, hide } = loaded
  if (config.plugins.length > 0) secrets.add(knownSecrets(config))
  for (const source of config.plugins) {
    try {
      registry.add(await loadModule(source.name, config.dataDir, modules, (module) => readPlugin(module, builtins.targets, hide)))
    } catch (error) {
      diagnostics.push(unusablePlugin(source, hide(whyUnusable(error))))
    }
  }
  const { catalogue, plugged } = registry
  const checked = [...config.profiles.values()].flatMap((profile) => [
    ...plugged.flatMap(({ checkSettings }) => checkSettings(profile)),
    ...(diagnostics.length > 0 ? [] : unclaimedSections(profile, [...catalogue.targets.values()])),
  ])
  return { catalogue, diagnostics: [...diagnostics, ...checked] }
}

/**
 * Makes a catalogue that `add` extends by the parts of a module. `add` throws where another part of the family has the name. `plugged`: the
 * targets that were added.
 */
const openRegistry = (builtins: Catalogue) => {
  const plugged: PluginTarget[] = []
  const targets = new Map(builtins.targets)
  const namedSchemes = new Map(builtins.namedSchemes)
  const runners = new Map(builtins.runners)
  const operators = new Map(builtins.operators)
  // An alias of a built-in scheme may have a hyphen, as the names of plugins' schemes do, and `webhook test --scheme` takes aliases. So no
  // plugin's scheme may have such a name.
  const schemeNames = new Set(builtins.schemes.flatMap(({ aliases = [] }) => aliases))
  const put = <T extends { readonly name: string }>(family: string, known: Map<string, T>, part: T): void => {
    if (known.has(part.name) || (family === 'scheme' && schemeNames.has(part.name)))
      throw new Error(`the ${family} "${part.name}" is there already`)
    known.set(part.name, part)
  }
  const add = (parts: PluginParts): void => {
    for (const target of parts.targets) {
      put('target', targets, target.part)
      plugged.push(target)
    }
    for (const part of parts.schemes) put('scheme', namedSchemes, part)
    for (const part of parts.runners) put('runner', runners, part)
    for (const part of parts.operators) put('operator', operators, part)
  }
  const catalogue: Catalogue = { ...builtins, targets, namedSchemes, runners, operators }
  return { add, plugged, catalogue }
}

/** Returns the message of an error, without the words of a file that is no JavaScript. */
const whyUnusable = (error: unknown): string =>
  error instanceof SyntaxError ? error.message.replace(/^(Unexpected \w+).*/s, '$1') : messageOf(error)

const unusablePlugin = ({ name, place, pointer }: PluginSource, why: string): Diagnostic =>
  diagnostic('WH710', `the plugin ${printable(name, 200)} cannot be used: ${printable(why, 500)}`, {
    place,
    pointer,
    help: 'mend it, or take it out of the list',
  })

/** Reports sections under `platforms` whose names have the form of a plugin's name, but that no target reads. */
const unclaimedSections = ({ name, platforms, place }: Profile, targets: readonly TargetPart[]): Diagnostic[] => {
  const platformNames = new Set(targets.map(platformOf))
  return Object.keys(platforms).flatMap((platform) => {
    if (!pluginNamePattern.test(platform) || platformNames.has(platform)) return []
    const path = ['platforms', platform]
    const of = name === defaultProfile ? '' : `profile "${name}": `
    return diagnostic('WH711', `${of}no plugin reads the settings "${platform}"`, {
      pointer: pointerOf(path),
      help: unknownPluginHelp(platform, platformNames),
      ...(place ? { place: place(path, 'key') } : {}),
    })
  })
}
