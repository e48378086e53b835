/** Checks the machine (`--env`): runs checks of `doctor`, and turns their results into findings. */

import type { Config } from '../../config/config.ts'
import type { Loaded } from '../../config/load.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import { Fault, messageOf } from '../../core/fault.ts'
import type { Check, CheckInput } from '../../datadir/check.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { settingsOf } from '../../parts/targets/delivery/settings.ts'
import { targetsByName } from '../../parts/targets/index.ts'
import { writtenTargets } from '../../parts/written-targets.ts'
import type { Checked } from '../../plan/check.ts'
import { hasProgram, searchPathOf } from '../../process/find-program.ts'
import { checkListenAddress } from '../machine/address.ts'
import { checkFolder } from '../machine/files.ts'
import { checkLogin } from '../machine/logins.ts'
import { checkClock } from '../machine/machine.ts'
import { checkScripts } from '../machine/scripts.ts'

/** Checks the machine around a data directory: its folder, its port, its clock. */
export const hostFindings = async (workspace: Workspace, loaded: Loaded, finder: GatewayFinder): Promise<readonly Diagnostic[]> => {
  const input: CheckInput = { workspace, loaded, status: undefined }
  const found = await Promise.all([
    findingsOfCheck('the data directory', () => checkFolder(input)),
    // A running gateway that does not answer causes a Fault here. The Fault becomes a finding, because the port cannot be checked.
    findingsOfCheck('the port', async () => checkListenAddress({ ...input, status: await (await finder.find())?.status() })),
    findingsOfCheck('the clock', () => checkClock(input)),
  ])
  return found.flat()
}

/** Runs a check, and returns its findings. Where the check throws, returns a finding with the message of the error. */
const findingsOfCheck = async (what: string, look: () => Promise<readonly Check[]> | readonly Check[]): Promise<readonly Diagnostic[]> => {
  try {
    return (await look()).flatMap(findingOf)
  } catch (error) {
    const help = error instanceof Fault ? error.hint : undefined
    return [diagnostic('WH807', `${what} could not be checked: ${messageOf(error)}`, help === undefined ? {} : { help })]
  }
}

/** Checks whether the scripts of routes can be read, and whether the programs that post for targets are logged in. */
export const programFindings = async (checked: Pick<Checked, 'sources' | 'jobs'>, config: Config): Promise<readonly Diagnostic[]> => {
  const routes = checked.sources.map(({ route }) => route)
  return [
    ...(await findingsOfCheck('scripts', () => checkScripts(routes, config))),
    ...(await findingsOfCheck('logins', () => checkLogins(checked, config))),
  ]
}

/**
 * Checks the login of each target of a profile once. A target that is switched off, or whose program is missing, is left out, because the
 * review reports such a target.
 */
const checkLogins = async ({ sources, jobs }: Pick<Checked, 'sources' | 'jobs'>, { profiles }: Config): Promise<readonly Check[]> => {
  const checks: Check[] = []
  const seen = new Set<string>()
  for (const source of [...sources.map(({ route }) => route), ...jobs]) {
    const profile = profiles.get(source.profile)
    for (const { target, path } of profile ? writtenTargets(source.spec) : []) {
      const part = targetsByName.get(target)
      const key = `${source.profile} ${target}`
      if (!profile || !part || seen.has(key)) continue
      seen.add(key)
      const isOff = settingsOf(part, profile.platforms, profile.env).enabled === false
      if (isOff || part.program === undefined || !hasProgram(part.program, searchPathOf(profile.env))) continue
      const at = [...source.base, ...path]
      const route = 'name' in source ? { route: source.name } : {}
      checks.push(...(await checkLogin(target, profile, { place: source.place(at), pointer: pointerOf(at), ...route })))
    }
  }
  return checks
}

const findingOf = ({ result, message, fix, about }: Check): readonly Diagnostic[] => {
  if (result === 'ok' || !about) return []
  const { code, ...at } = about
  return [diagnostic(code, message, { ...at, ...(fix === undefined ? {} : { help: fix }) })]
}
