/**
 * Makes the policy of a run: its attempts, limits, model, tools and skills. A key of the run's route or job comes first, then what all runs
 * share (`agent`, `platform_toolsets`), then the default. Where the model is absent, the runner takes its own.
 */

import { type Budget, budgetOf, type Price } from '../config/budget.ts'
import type { AgentSettings, Config, Profile } from '../config/config.ts'
import type { Job, Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import { agentNames, agentOverrides, defaultAgent } from '../parts/named-agents.ts'
import type { Handling } from '../parts/runners/runner.ts'
import type { Retry } from './backoff.ts'
import { type StartKeys, type StartRule, startRuleOf } from './flow/start-rule.ts'

export type RunPolicy = {
  /** The name of the agent that is asked. */
  readonly agent: string
  readonly retry: Retry
  readonly timeoutMs: number
  /** True for a scheduled job: the agent is asked at most once, and only the delivery is tried again (rules: Jobs 7). */
  readonly startsOnce: boolean
  /**
   * While the target is down: with `hold`, the run waits before its agent is asked; with `run`, the agent is asked, and only the reply
   * waits.
   */
  readonly whenDown: 'hold' | 'run'
  /** Absent where a run may begin at any time. */
  readonly start?: StartRule
  readonly maxSteps: number
  readonly budget: Budget
  readonly prices: ReadonlyMap<string, Price>
  /** The names of the toolsets, as configured, and in `skills` the names of the skills. */
  readonly toolsets: readonly string[]
  readonly skills: readonly string[]
  /** The folder of the run's profile, for its skills; absent when the profile is no longer served. */
  readonly profileFolder?: string
  readonly model?: string
  readonly maxOutputTokens?: number
  /** How untrusted text is shown to the model (`agent.untrusted`). */
  readonly handling?: Handling
}

/** The settings that all runs share, and the profile of the run. */
export type PolicyConfig = {
  readonly agents: ReadonlyMap<string, AgentLimits>
  readonly tools: Pick<Config['tools'], 'ofRuns'>
  readonly profile: Pick<Profile, 'dir'> | undefined
}

type AgentLimits = Pick<AgentSettings, 'timeoutMs' | 'maxSteps' | 'budget' | 'prices' | 'toolsets' | 'skills'>

type PolicySource = Pick<Route, 'retry' | 'when_down' | 'agent' | 'skills' | 'toolsets'> & StartKeys

/**
 * Returns the policy of the runs of a route. `{}` in place of a route: the policy without any keys of a route. `isHeld`: the route is
 * paused, and its runs wait. `name`: the agent of the run; absent: the first that the route may use. A run whose agent is gone has the limits
 * of the default agent.
 */
export const policyOf = (
  { agents, tools, profile }: PolicyConfig,
  { retry, when_down, agent: written, skills, toolsets, ...others }: PolicySource = {},
  isHeld = false,
  name: string = agentNames(written)[0] ?? defaultAgent,
): RunPolicy => {
  const shared = (agents.get(name) ?? agents.get(defaultAgent)) as AgentLimits
  const agent = agentOverrides(written)
  return {
    agent: name,
    ...startOf(others, isHeld),
    retry: {
      maxAttempts: retry?.max_attempts ?? defaults.retry.max_attempts,
      backoffMs: (retry?.backoff ?? defaults.retry.backoff) * 1000,
      maxDelayMs: (retry?.max_delay_seconds ?? defaults.retry.max_delay_seconds) * 1000,
    },
    timeoutMs: agent.timeout_seconds === undefined ? shared.timeoutMs : agent.timeout_seconds * 1000,
    startsOnce: false,
    whenDown: when_down ?? defaults.route.when_down,
    maxSteps: agent.max_steps ?? shared.maxSteps,
    budget: { ...shared.budget, ...budgetOf(agent.budget) },
    prices: shared.prices,
    toolsets: toolsets ?? shared.toolsets ?? tools.ofRuns,
    skills: skills ?? shared.skills ?? [],
    ...(profile ? { profileFolder: profile.dir } : {}),
    ...(agent.model === undefined ? {} : { model: agent.model }),
    ...(agent.max_output_tokens === undefined ? {} : { maxOutputTokens: agent.max_output_tokens }),
    ...(agent.untrusted === undefined ? {} : { handling: agent.untrusted }),
  }
}

const startOf = (keys: StartKeys, isHeld: boolean): Pick<RunPolicy, 'start'> => {
  const start = startRuleOf(keys, isHeld)
  return start ? { start } : {}
}

/** Returns the policy of the runs of a job; of a job that is no longer configured, the policy without any keys of its own. */
export const jobPolicyOf = (config: PolicyConfig, job: Pick<Job, 'agent' | 'model' | 'skills' | 'toolsets'> | undefined): RunPolicy => {
  const { agent: use, model, skills, toolsets } = job ?? {}
  const agent = { ...(use === undefined ? {} : { use }), ...(model === undefined ? {} : { model }) }
  const written = { agent, ...(skills ? { skills } : {}), ...(toolsets ? { toolsets } : {}) }
  return { ...policyOf(config, written), startsOnce: true }
}
