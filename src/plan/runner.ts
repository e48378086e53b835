/** Compiles the agent's settings to the function that asks it, with their Diagnostics. */

import { type Config, defaultProfile } from '../config/config.ts'
import { isUnknown, unknownSecret } from '../config/env.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { pluginName, unpluggedHelp } from '../core/names.ts'
import type { Held, Owners } from '../core/owner.ts'
import type { Report } from '../parts/report.ts'
import type { Runner, RunnerPart, RunnerSettings } from '../parts/runners/runner.ts'

export type CompiledRunner = {
  /** Holds what it has open for as long as it asks. */
  readonly runner: Runner
  /** To be released by whoever asked for the runner. */
  readonly owner: Held
  readonly notice: string | undefined
  readonly diagnostics: readonly Diagnostic[]
}

type Configured = Pick<Config, 'agent' | 'profiles'>

/** The settings of the agent as its runner gets them: what the file leaves out may stand in the environment. */
export const runnerSettings = ({ env: names = {} }: Pick<RunnerPart, 'env'>, { agent, profiles }: Configured): RunnerSettings => {
  const env = profiles.get(defaultProfile)?.env ?? {}
  const { apiKey: variables = [] } = names
  if (agent.apiKey !== undefined || variables.length === 0) return agent
  const apiKey = isUnknown(env) ? unknownSecret : variables.map((variable) => env[variable]).find(Boolean)
  return apiKey === undefined ? agent : { ...agent, apiKey }
}

export const compileRunner = (config: Configured, runners: ReadonlyMap<string, RunnerPart>, owners: Owners): CompiledRunner => {
  const { agent } = config
  const { runner: name } = agent
  const owner = owners.create({ runner: name })
  const diagnostics: Diagnostic[] = []
  const report: Report = (code, path, message, help) => {
    const place = agent.place?.(path)
    const more = { pointer: pointerOf(['agent', ...path]), ...(place ? { place } : {}), ...(help === undefined ? {} : { help }) }
    diagnostics.push(diagnostic(code, `agent: ${message}`, more))
  }
  const part = runners.get(name)
  if (part) {
    const runner = owner.adopt(part.compile(runnerSettings(part, config), report))
    return { runner: holding(owner, runner), owner, notice: part.notice, diagnostics }
  }
  // Another unknown name is a Diagnostic of the file's shape already, and one that stops the start.
  if (pluginName.test(name)) report('WH711', ['runner'], `no plugin brings the runner "${name}"`, unpluggedHelp(name, runners.keys()))
  return { runner: () => Promise.reject(new Error(`no runner "${name}"`)), owner, notice: undefined, diagnostics }
}

const holding =
  (owner: Held, runner: Runner): Runner =>
  async (prompt, job) => {
    owner.hold()
    try {
      return await runner(prompt, job)
    } finally {
      owner.release()
    }
  }
