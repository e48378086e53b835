/** Lists the agents of a configuration, and says of each whether it could be asked here. */

import { type AgentSettings, type Config, defaultProfile } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { readRoutes } from '../../datadir/routes.ts'
import { withSecrets } from '../../datadir/secrets/with-secrets.ts'
import { type Warning, warningOf } from '../../datadir/warning.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { agentNames, agentPath } from '../../parts/named-agents.ts'
import type { RunnerPart, RunnerSettings } from '../../parts/runners/runner.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { runnerSettings } from '../../plan/runner.ts'
import { locateProgram, searchPathOf } from '../../process/find-program.ts'

export type KnownAgent = {
  readonly name: string
  /** The place of its settings in `config.yaml`, such as `agents.reviewer`. */
  readonly section: string
  readonly runner: string
  /** `ready`: nothing is known to lack. `stand-in`: no agent answers. `absent`: its program is not there, or no plugin brings its runner. */
  readonly state: 'ready' | 'stand-in' | 'absent'
  /** What there is: the program with its path, or the model. */
  readonly text: string
  /** What to do where it is not ready. */
  readonly fix?: string
}

/** An agent, with the names of the routes and jobs that say it. */
export type UsedAgent = KnownAgent & { readonly users: readonly string[] }

/** Returns what is known of each agent. No agent is asked. */
export const knownAgents = ({ agents, profiles }: Config, runners: ReadonlyMap<string, RunnerPart>): Promise<readonly KnownAgent[]> =>
  Promise.all(
    [...agents].map(async ([name, agent]): Promise<KnownAgent> => {
      const section = agentPath(name).join('.')
      return { name, section, runner: agent.runner, ...(await stateOf(section, agent, profiles, runners)) }
    }),
  )

const stateOf = async (
  section: string,
  agent: AgentSettings,
  profiles: Config['profiles'],
  runners: ReadonlyMap<string, RunnerPart>,
): Promise<Pick<KnownAgent, 'state' | 'text' | 'fix'>> => {
  const part = runners.get(agent.runner)
  if (!part) return { state: 'absent', text: `no plugin brings the runner ${agent.runner}`, fix: 'name the plugin under plugins' }
  if (part.standIn !== undefined) {
    const names = [...runners.values()].flatMap((each) => (each.standIn === undefined ? [each.name] : []))
    return { state: 'stand-in', text: `${part.name}, a stand-in: it ${part.standIn}`, fix: `set ${section}.runner: ${names.join(' or ')}` }
  }
  const settings = runnerSettings(part, { agent, profiles })
  const program = part.program?.(settings)
  if (program === undefined) return { state: 'ready', text: settingsText(part, settings) }
  const file = await findProgramFile(program, searchPathOf(profiles.get(defaultProfile)?.env ?? {}))
  if (file !== undefined) return { state: 'ready', text: `${part.name} ${file}` }
  return {
    state: 'absent',
    text: `${part.name} ${program} is not there, or not executable`,
    fix: `install it, or mend ${section}.command`,
  }
}

const settingsText = ({ name }: RunnerPart, { model, apiKey }: RunnerSettings): string =>
  [name, ...(model ? [`model ${model}`] : []), ...(apiKey ? ['its key is set'] : [])].join(', ')

const findProgramFile = (program: string, search: string): Promise<string | undefined> =>
  program.includes('/') ? locateProgram(program.split('/').at(-1) ?? '', folderOf(program)) : locateProgram(program, search)

const folderOf = (program: string): string => program.slice(0, program.lastIndexOf('/')) || '/'

/** Reads the agents of a data directory, with who uses them. Throws a Fault where its files cannot be read. */
export const readAgents = async (
  workspace: Workspace,
): Promise<{ readonly agents: readonly UsedAgent[]; readonly warnings: readonly Warning[] }> => {
  const { config } = loadConfig(await withSecrets(workspace))
  const { catalogue, diagnostics } = await catalogueOf(config)
  const asking = readRoutes(workspace)
    .routes.flatMap(({ route }) => route ?? [])
    .filter(({ spec }) => !spec.deliver_only && spec.cron_job === undefined && spec.dispatch === undefined)
  const jobs = [...config.profiles.values()].flatMap((profile) => [...profile.jobs.values()])
  const usersOf = (name: string): readonly string[] => [
    ...asking.filter(({ spec }) => agentNames(spec.agent).includes(name)).map((route) => route.name),
    ...jobs.filter(({ spec }) => agentNames(spec.agent).includes(name)).map(({ id }) => `job ${id}`),
  ]
  const agents = await knownAgents(config, catalogue.runners)
  return { agents: agents.map((agent) => ({ ...agent, users: usersOf(agent.name) })), warnings: diagnostics.map(warningOf) }
}
