/** `targets list`: one delivery target a line, and whether a profile's settings connect it. */

import { profileNamed } from '../../app/profile-named.ts'
import { warningOf } from '../../app/warning.ts'
import type { Profile } from '../../config/config.ts'
import { loadConfig, unreadIn } from '../../config/load.ts'
import type { JsonObject } from '../../core/json.ts'
import { pathOf } from '../../parts/targets/kit/gh.ts'
import { missingOf, settingsOf, textSetting, waysOf, wrongAddress } from '../../parts/targets/kit/settings.ts'
import type { TargetPart } from '../../parts/targets/target.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { pluginTarget } from '../../plan/route-rules.ts'
import { locateProgram } from '../../process/find-program.ts'
import { aligned } from '../shell/columns.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'

export type TargetsListOptions = ProfileOption

export const targetsList = async (options: TargetsListOptions, cli: Cli): Promise<number> => {
  const loaded = loadConfig(cli.workspace)
  if (unreadIn(loaded).length > 0) note(cli, `the configuration cannot be read, its settings are not known: ${cli.workspace.self} validate`)
  const profile = profileNamed(options.profile, loaded, cli.workspace.self)
  const { catalogue, diagnostics } = await catalogueOf(loaded.config)
  const found = await Promise.all([...catalogue.targets.values()].map((part) => standingOf(part, profile)))
  const rows = found.map(({ name, state, missing, has_home_channel, ways }) => [
    name,
    missing.length > 0 ? `${state}: ${missing.join(', ')}` : state,
    has_home_channel ? 'home channel' : '-',
    state === 'missing' ? ways.join('; or ') : '',
  ])
  const lines = aligned(cli.io.isTty ? [['TARGET', 'STATE', 'HOME', 'CONNECTED BY'], ...rows] : rows)
  const { dim } = paintWith(cli.io.colour)
  return answer(cli, {
    kind: 'targets.list',
    data: { profile: profile.name, targets: found },
    text: lines.map((line, i) => `${cli.io.isTty && i === 0 ? dim(line) : line}\n`).join(''),
    warnings: diagnostics.map(warningOf),
  })
}

type Standing = JsonObject & {
  readonly name: string
  /** `ready` needs no settings. */
  readonly state: 'ready' | 'connected' | 'missing' | 'off'
  readonly missing: string[]
  /** Each way in which it can be connected: settings, and their names in the environment. */
  readonly ways: string[]
  readonly has_home_channel: boolean
  readonly plugin: boolean
}

const standingOf = async (part: TargetPart, { platforms, env }: Profile): Promise<Standing> => {
  const settings = settingsOf(part, platforms, env)
  const { program } = part
  const wrong = wrongAddress(settings)
  const missing = [...missingOf(part, settings)]
  if (program !== undefined && !(await locateProgram(program, pathOf(env)))) missing.push(`${program} on the PATH`)
  if (wrong !== undefined) missing.push(`${wrong} as a web address`)
  const needsNone = part.needs === undefined || part.needs.some((keys) => keys.length === 0)
  return {
    name: part.name,
    state: settings.enabled === false ? 'off' : missing.length > 0 ? 'missing' : needsNone ? 'ready' : 'connected',
    missing,
    ways: [...waysOf(part)],
    has_home_channel: textSetting(settings, 'home_channel') !== undefined,
    plugin: pluginTarget.test(part.name),
  }
}
