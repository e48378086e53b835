/** Compiles the agent's settings and toolsets to the function that asks the agent, and reports mistakes in these. */

import { checkPrice } from '../config/budget.ts'
import { type AgentSettings, type Config, defaultProfile } from '../config/config.ts'
import { type Env, isUnknown, unknownSecret } from '../config/env.ts'
import type { Clock } from '../core/clock.ts'
import { type Diagnostic, diagnostic, pointerOf, type Report } from '../core/diagnostic.ts'
import { AgentFault } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { pluginNamePattern, unknownPluginHelp } from '../core/names.ts'
import type { HeldScope } from '../core/scope.ts'
import { isTemplate } from '../expr/placeholder.ts'
import { isOfEvent } from '../parts/given-to-agent.ts'
import { agentPath, defaultAgent } from '../parts/named-agents.ts'
import { isOwnApi } from '../parts/own-api.ts'
import type { PartScopes } from '../parts/part-scopes.ts'
import type { Runner, RunnerJob, RunnerPart, RunnerSettings } from '../parts/runners/runner.ts'
import type { BeginToolCall, ToolsetPart } from '../parts/tools/tool.ts'
import { fillVariables, hasVariable, withoutVariables } from '../secrets/variables.ts'
import { checkToolNames, compileToolsets, type Toolbox } from './toolsets.ts'

type Variables = NonNullable<RunnerSettings['variables']>

/** A run for the agent, without its tools. */
type AgentJob = Omit<RunnerJob, 'tools'> & {
  /** The name of the agent. */
  readonly agent: string
  /** The names of the toolsets that are opened for the run. */
  readonly toolsets?: readonly string[]
  /** Called when the toolsets are open, right before the runner is asked. Throws where the run must not begin any more. */
  readonly mayBegin?: () => void
  /** Called when a call of a tool begins. */
  readonly beginToolCall?: BeginToolCall
}

/** Asks an agent for a run, and resolves to its reply. */
export type Agent = (prompt: string, job: AgentJob) => Promise<string>

export type CompiledRunner = {
  /** Asks the agent, and holds the scope meanwhile. */
  readonly agent: Agent
  /** The scope of all that the runner has open. The caller of `compileRunner` releases it. */
  readonly scope: HeldScope
  /** The notices that the gateway logs once when it starts, by the names of the agents whose runner has one. */
  readonly notices: ReadonlyMap<string, string>
  readonly diagnostics: readonly Diagnostic[]
}

type RunnerConfig = Pick<Config, 'agents' | 'profiles' | 'tools'>

/** The parts that an agent is made of. */
type AgentParts = { readonly runners: ReadonlyMap<string, RunnerPart>; readonly toolsets: ReadonlyMap<string, ToolsetPart> }

export type AgentKit = { readonly scopes: PartScopes; readonly log: Log; readonly clock: Clock }

/**
 * Returns the settings of the agent for its runner. An API key in the environment wins over the key in the file, but only for the runner's
 * own API (rules: Configuration 9). Where the environment is not read and the file has no key, a stand-in takes the place of the key.
 * `agent.env` says the variables that the runner gets.
 */
export const runnerSettings = (
  { env: names = {}, api }: Pick<RunnerPart, 'env' | 'api'>,
  {
    agent: { env: passed, envValues, ...agent },
    profiles,
  }: Pick<Config, 'profiles'> & { readonly agent: RunnerSettings & Pick<AgentSettings, 'env' | 'envValues'> },
): RunnerSettings => {
  const env = profiles.get(defaultProfile)?.env ?? {}
  const settings = passed || envValues ? { ...agent, variables: setVariables(passed ?? [], envValues ?? {}, env) } : agent
  const { apiKey: variables = [] } = names
  if (!isOwnApi(agent.baseUrl, api?.url)) return settings
  if (isUnknown(env)) return variables.length === 0 || agent.apiKey !== undefined ? settings : { ...settings, apiKey: unknownSecret }
  const apiKey = variables.map((variable) => env[variable]).find(Boolean)
  return apiKey === undefined ? settings : { ...settings, apiKey }
}

/** Returns the variables of the agent's program that no event fills in, as far as they have a value. */
const setVariables = (names: readonly string[], values: Variables, env: Env): Variables => {
  const named = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  const written = Object.entries(values).flatMap(([name, value]) => {
    const filled = isOfEvent(value) ? undefined : fillVariables(value, env)
    return filled && 'value' in filled ? [[name, filled.value] as const] : []
  })
  return Object.fromEntries([...named, ...written])
}

/** Reports variables of an agent that have a reference to a secret and a placeholder. */
const reportMixed = (values: Variables, report: Report): void => {
  for (const [name, value] of Object.entries(values)) {
    if (!hasVariable(value) || !isTemplate(withoutVariables(value))) continue
    const message = 'a reference and a placeholder in one text: what a payload fills in is stored, and the secret would be'
    report('WH707', ['env', name], message, 'give the secret a variable of its own')
  }
}

/**
 * Reports that the API key of the environment is not sent, because `base_url` is another API, and that the agent has no other key. An
 * operator whose other API needs no key may pass over the report.
 */
const reportKeptBack = (
  { env: names = {}, api }: RunnerPart,
  { baseUrl, apiKey }: RunnerSettings,
  section: string,
  env: Env,
  report: Report,
): void => {
  const variable = names.apiKey?.find((name) => env[name])
  if (variable === undefined || apiKey !== undefined || isOwnApi(baseUrl, api?.url)) return
  const message = `${variable} is a key of ${api?.url}, and is not sent to base_url, which is another API's`
  report(
    'WH230',
    ['base_url'],
    message,
    `set ${section}.api_key, if that API needs a key; where it takes the same key: api_key: \${${variable}}`,
  )
}

/** Compiles the agents of a configuration. Where no part has the name of a runner, each question to its agent rejects. */
export const compileRunner = (
  config: RunnerConfig,
  { runners: parts, toolsets }: AgentParts,
  { scopes, log, clock }: AgentKit,
): CompiledRunner => {
  const scope = scopes.create({ runner: config.agents.get(defaultAgent)?.runner })
  const env = config.profiles.get(defaultProfile)?.env ?? {}
  const { toolbox, diagnostics: ofTools } = compileToolsets(config, toolsets, scope, { log, clock, env })
  const diagnostics: Diagnostic[] = [...ofTools, ...checkToolNames(config, toolsets)]
  const runners = new Map<string, Runner>()
  const notices = new Map<string, string>()
  for (const [name, agent] of config.agents) {
    const path = agentPath(name)
    const report: Report = (code, below, message, help) => {
      const place = agent.place?.(below)
      const more = { pointer: pointerOf([...path, ...below]), ...(place ? { place } : {}), help }
      diagnostics.push(diagnostic(code, `${path.join('.')}: ${message}`, more))
    }
    checkPrice(undefined, name, agent, report)
    reportMixed(agent.envValues ?? {}, report)
    const part = parts.get(agent.runner)
    if (part) {
      const settings = runnerSettings(part, { profiles: config.profiles, agent })
      runners.set(name, scope.adopt(part.compile(settings, report)))
      if (part.notice !== undefined) notices.set(name, part.notice)
      reportKeptBack(part, settings, path.join('.'), env, report)
      continue
    }
    // An unknown name without a hyphen is a mistake of the file's shape, which has been reported and stops the start.
    if (pluginNamePattern.test(agent.runner))
      report('WH711', ['runner'], `no plugin brings the runner "${agent.runner}"`, unknownPluginHelp(agent.runner, parts.keys()))
  }
  return { agent: holdingAgent(scope, runners, toolbox), scope, notices, diagnostics }
}

const holdingAgent =
  (scope: HeldScope, runners: ReadonlyMap<string, Runner>, toolbox: Toolbox): Agent =>
  async (prompt, { agent, toolsets = [], mayBegin, beginToolCall, ...job }) => {
    const runner = runners.get(agent)
    if (!runner) throw new AgentFault(`the configuration has no agent "${agent}" that can be asked`, { isFinal: true })
    scope.hold()
    try {
      const tools = await toolbox(toolsets, job.signal, beginToolCall)
      mayBegin?.()
      return await runner(prompt, tools.length > 0 ? { ...job, tools } : job)
    } finally {
      scope.release()
    }
  }
