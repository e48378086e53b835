/** Lists the targets, also targets of plugins, and says whether the settings of a profile connect each target. */

import type { Profile } from '../../config/config.ts'
import { loadConfig, unreadIn } from '../../config/load.ts'
import { pluginNamePattern } from '../../core/names.ts'
import { profileNamed } from '../../datadir/profile-named.ts'
import { type Warning, warningOf } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { missetOf, missingOf, settingsOf, textSetting, waysOf } from '../../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../../parts/targets/target.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { locateProgram, searchPathOf } from '../../process/find-program.ts'

export type KnownTarget = {
  readonly name: string
  /**
   * `ready`: the target needs no settings. `connected`: the target has its settings. `missing`: the target lacks the things that `missing`
   * names. `off`: its settings disable the target.
   */
  readonly state: 'ready' | 'connected' | 'missing' | 'off'
  readonly missing: readonly string[]
  /** The ways to connect the target. Each names its settings, and their names in the environment. */
  readonly ways: readonly string[]
  readonly hasHomeChannel: boolean
  readonly isPlugin: boolean
  /** The chat of the target for texts that name no chat (`home_channel`). */
  readonly home?: string
  readonly part: TargetPart
}

export type KnownTargets = {
  readonly profile: string
  readonly dir: string
  readonly targets: readonly KnownTarget[]
  readonly warnings: readonly Warning[]
  readonly notices: readonly string[]
}

/** Reads the targets of a profile. Throws a Fault when the profile is not served. */
export const readTargets = async (workspace: Workspace, profileName: string | undefined): Promise<KnownTargets> => {
  const { self } = workspace
  const loaded = loadConfig(workspace)
  const notices = unreadIn(loaded).length > 0 ? [`the configuration cannot be read, its settings are not known: ${self} validate`] : []
  const profile = profileNamed(profileName, loaded, self)
  const { catalogue, diagnostics } = await catalogueOf(loaded.config)
  const targets = await Promise.all([...catalogue.targets.values()].map((part) => knownTarget(part, profile)))
  return { profile: profile.name, dir: profile.dir, targets, warnings: diagnostics.map(warningOf), notices }
}

/** Compares the settings of the profile with the needs of the target, and searches for the program of the target. */
const knownTarget = async (part: TargetPart, { platforms, env }: Profile): Promise<KnownTarget> => {
  const settings = settingsOf(part, platforms, env)
  const { program } = part
  const wrong = missetOf(part, settings)
  const missing = [...missingOf(part, settings)]
  if (program !== undefined && !(await locateProgram(program, searchPathOf(env)))) missing.push(`${program} on the PATH`)
  if (wrong !== undefined) missing.push(`${wrong.key} as ${wrong.is}`)
  const home = textSetting(settings, 'home_channel')
  const needsNone = part.needs === undefined || part.needs.some((keys) => keys.length === 0)
  return {
    name: part.name,
    state: settings.enabled === false ? 'off' : missing.length > 0 ? 'missing' : needsNone ? 'ready' : 'connected',
    missing,
    ways: waysOf(part),
    hasHomeChannel: home !== undefined,
    isPlugin: pluginNamePattern.test(part.name),
    ...(home === undefined ? {} : { home }),
    part,
  }
}
