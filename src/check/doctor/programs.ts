/**
 * Checks whether the programs that the scripts of routes and the agent need are there, and whether the interpreters can read the scripts.
 */

import { type AgentSettings, type Config, defaultProfile, type RouteSource } from '../../config/config.ts'
import type { Env } from '../../config/env.ts'
import { type Check, type CheckInput, fail, ok, warn } from '../../datadir/check.ts'
import { readRoutes } from '../../datadir/routes.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { withDryEffects } from '../../dryrun/trace/dry-effects.ts'
import { agentPath, defaultAgent } from '../../parts/named-agents.ts'
import type { RunnerPart, RunnerSettings } from '../../parts/runners/runner.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { compileRunner, runnerSettings } from '../../plan/runner.ts'
import { locateProgram, searchPathOf } from '../../process/find-program.ts'
import { interpreterOf } from '../../process/script.ts'
import { checkScripts } from '../machine/scripts.ts'

/** Checks the interpreters of scripts, the scripts themselves, and the program of the agent. */
export const checkPrograms = async ({ workspace, loaded: { config } }: CheckInput): Promise<readonly Check[]> => {
  const routes = readRoutes(workspace).routes.flatMap(({ route }) => route ?? [])
  return [
    ...(await checkInterpreters(routes, workspace)),
    ...(await checkScripts(routes, config)),
    ...(await checkAgent(config, workspace)),
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

const checkAgent = async (config: Config, { env, self }: Workspace): Promise<Check[]> => {
  const { catalogue } = await catalogueOf(config)
  const { runners } = catalogue
  const findings = await withDryEffects((effects) => {
    const { diagnostics, scope } = compileRunner(config, catalogue, effects)
    scope.release()
    return diagnostics
  })
  const problem = findings.find(({ severity }) => severity === 'error') ?? findings.find(({ severity }) => severity === 'warning')
  if (problem) return [(problem.severity === 'error' ? fail : warn)('agent', problem.message, problem.help ?? `${self} validate`)]
  const checks = [...config.agents].map(([name, agent]) => checkOneAgent(agentPath(name).join('.'), agent, config, runners, env))
  return (await Promise.all(checks)).flat()
}

const defaultSection = agentPath(defaultAgent).join('.')

const checkOneAgent = async (
  section: string,
  agent: AgentSettings,
  { agents, profiles }: Config,
  runners: ReadonlyMap<string, RunnerPart>,
  env: Env,
): Promise<Check[]> => {
  const part = runners.get(agent.runner)
  if (part === undefined) return []
  // Where other agents are described, that of the section `agent` need not be.
  if (part.standIn !== undefined && section === defaultSection && agents.size > 1) return []
  if (part.standIn !== undefined) return [warn(section, `${part.name}, a stand-in: it ${part.standIn}`, realRunners(section, runners))]
  const settings = runnerSettings(part, { agent, profiles })
  const program = part.program?.(settings)
  if (program === undefined) return [ok(section, runnerText(part, settings))]
  const file = await findProgramFile(program, searchPathOf(profiles.get(defaultProfile)?.env ?? env))
  return [
    file === undefined
      ? fail(section, `${part.name} ${program} is not there, or not executable`, `install it, or mend ${section}.command`)
      : ok(section, `${part.name} ${file}`),
  ]
}

const realRunners = (section: string, runners: ReadonlyMap<string, RunnerPart>): string => {
  const names = [...runners.values()].flatMap(({ name, standIn }) => (standIn === undefined ? [name] : []))
  return `set ${section}.runner: ${names.join(' or ')}`
}

const runnerText = ({ name }: RunnerPart, { model, apiKey }: RunnerSettings): string =>
  [name, ...(model ? [`model ${model}`] : []), ...(apiKey ? ['its key is set'] : [])].join(', ')

const findProgramFile = (program: string, search: string): Promise<string | undefined> =>
  program.includes('/') ? locateProgram(program.split('/').at(-1) ?? '', folderOf(program)) : locateProgram(program, search)

const folderOf = (program: string): string => program.slice(0, program.lastIndexOf('/')) || '/'
