/**
 * Checks whether the programs that the scripts of routes and the agents need are there, and whether the interpreters can read the scripts.
 */

import type { Config, RouteSource } from '../../config/config.ts'
import { type Check, type CheckInput, fail, ok, warn } from '../../datadir/check.ts'
import { readRoutes } from '../../datadir/routes.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { withDryEffects } from '../../dryrun/trace/dry-effects.ts'
import { knownAgents } from '../../operate/agents/agents.ts'
import { defaultAgent } from '../../parts/named-agents.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { compileRunner } from '../../plan/runner.ts'
import { locateProgram, searchPathOf } from '../../process/find-program.ts'
import { interpreterOf } from '../../process/script.ts'
import { checkScripts } from '../machine/scripts.ts'

/** Checks the interpreters of scripts, the scripts themselves, and the programs of the agents. */
export const checkPrograms = async ({ workspace, loaded: { config } }: CheckInput): Promise<readonly Check[]> => {
  const routes = readRoutes(workspace).routes.flatMap(({ route }) => route ?? [])
  return [
    ...(await checkInterpreters(routes, workspace)),
    ...(await checkScripts(routes, config)),
    ...(await checkAgents(config, workspace)),
  ]
}

const checkInterpreters = async (routes: readonly RouteSource[], { env }: Workspace): Promise<Check[]> => {
  const users = new Map<string, string>()
  for (const { name, spec } of routes) if (spec.script !== undefined) users.set(interpreterOf(spec.script), name)
  const checks = [...users].map(async ([program, route]) => {
    const file = await locateProgram(program, searchPathOf(env))
    if (file !== undefined) return ok(program, `${file}, for scripts such as that of route ${route}`)
    return fail(program, `not on the PATH, but route ${route} has a script for it: the route ignores every event`, `install ${program}`)
  })
  return Promise.all(checks)
}

const checkAgents = async (config: Config, { self }: Workspace): Promise<Check[]> => {
  const { catalogue } = await catalogueOf(config)
  const { runners } = catalogue
  const findings = await withDryEffects((effects) => {
    const { diagnostics, scope } = compileRunner(config, catalogue, effects)
    scope.release()
    return diagnostics
  })
  const problem = findings.find(({ severity }) => severity === 'error') ?? findings.find(({ severity }) => severity === 'warning')
  if (problem) return [(problem.severity === 'error' ? fail : warn)('agent', problem.message, problem.help ?? `${self} validate`)]
  const known = await knownAgents(config, runners)
  return known.flatMap(({ name, section, state, text, fix = '' }) => {
    if (state === 'ready') return ok(section, text)
    if (state === 'absent') return fail(section, text, fix)
    // A configuration that describes agents under `agents` may do without the section `agent`, and then nobody uses the default stand-in.
    return name === defaultAgent && known.length > 1 ? [] : warn(section, text, fix)
  })
}
