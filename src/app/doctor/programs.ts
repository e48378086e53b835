/** Looks for the programs that routes and the agent need. */

import { type Config, defaultProfile } from '../../config/config.ts'
import { runnersByName } from '../../parts/runners/index.ts'
import { pathOf } from '../../parts/targets/kit/gh.ts'
import { compileRunner } from '../../plan/runner.ts'
import { locateProgram } from '../../process/find-program.ts'
import { interpreterOf } from '../../process/script.ts'
import { withDryEffects } from '../live/effects.ts'
import { readRoutes } from '../routes/routes.ts'
import type { Workspace } from '../workspace.ts'
import { type Check, fail, ok, type Patient, warn } from './check.ts'

export const checkPrograms = async ({ workspace, loaded: { config } }: Patient): Promise<readonly Check[]> => [
  ...(await checkInterpreters(workspace)),
  ...(await checkAgent(config, workspace)),
]

const checkInterpreters = async (workspace: Workspace): Promise<Check[]> => {
  const users = new Map<string, string>()
  for (const { name, route } of readRoutes(workspace).routes)
    if (route?.spec.script !== undefined) users.set(interpreterOf(route.spec.script), name)
  const checks = [...users].map(async ([program, route]) => {
    const file = await locateProgram(program, pathOf(workspace.env))
    if (file !== undefined) return ok(program, `${file}, for scripts such as that of route ${route}`)
    return fail(program, `not on the PATH, but route ${route} has a script for it: it ignores every event`, `install ${program}`)
  })
  return Promise.all(checks)
}

const checkAgent = async (config: Config, { env, self }: Workspace): Promise<Check[]> => {
  const { runner, command, model } = config.agent
  const [problem] = await withDryEffects(({ owners }) => {
    const { diagnostics, owner } = compileRunner(config, runnersByName, owners)
    owner.release()
    return diagnostics
  })
  if (problem) return [fail('agent', problem.message, problem.help ?? `${self} validate`)]
  if (runner === 'echo')
    return [warn('agent', 'echo, a stand-in: it answers with the prompt', 'set agent.runner: anthropic, openai or command')]
  if (runner !== 'command') return [ok('agent', `${runner}, model ${model ?? ''}, its key is set`)]
  const [program = ''] = command ?? []
  const profileEnv = config.profiles.get(defaultProfile)?.env ?? env
  const file = program.includes('/')
    ? await locateProgram(program.split('/').at(-1) ?? '', folderOf(program))
    : await locateProgram(program, pathOf(profileEnv))
  return [
    file === undefined
      ? fail('agent', `command ${program} is not there, or not executable`, 'install it, or mend agent.command')
      : ok('agent', `command ${file}`),
  ]
}

const folderOf = (program: string): string => program.slice(0, program.lastIndexOf('/')) || '/'
