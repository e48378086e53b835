/** The policy of a run: from the keys of its route or job, else the agent's settings, else the defaults. */

import { type Budget, budgetOf, type Price } from '../config/budget.ts'
import type { Config, Profile } from '../config/config.ts'
import type { Job, Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import type { Handling } from '../parts/runners/runner.ts'
import type { Retry } from './backoff.ts'

export type RunPolicy = {
  readonly retry: Retry
  readonly timeoutMs: number
  /** True for a scheduled job: the agent is asked at most once, and only the delivery is tried again (rules: Jobs 7). */
  readonly startsOnce: boolean
  readonly maxSteps: number
  readonly budget: Budget
  readonly prices: ReadonlyMap<string, Price>
  /** Names as configured. */
  readonly toolsets: readonly string[]
  readonly skills: readonly string[]
  /** The folder of the run's profile, for its skills; absent when the profile is no longer served. */
  readonly profileFolder?: string
  readonly model?: string
  readonly maxOutputTokens?: number
  readonly handling?: Handling
}

/** The settings that all runs share, and the profile of the run. */
export type PolicyConfig = {
  readonly agent: Pick<Config['agent'], 'timeoutMs' | 'maxSteps' | 'budget' | 'prices'>
  readonly tools: Pick<Config['tools'], 'ofRuns'>
  readonly profile: Pick<Profile, 'dir'> | undefined
}

type PolicySource = Pick<Route, 'retry' | 'agent' | 'skills' | 'toolsets'>

export const policyOf = (
  { agent: shared, tools, profile }: PolicyConfig,
  { retry, agent, skills, toolsets }: PolicySource = {},
): RunPolicy => ({
  retry: {
    maxAttempts: retry?.max_attempts ?? defaults.retry.max_attempts,
    backoffMs: (retry?.backoff ?? defaults.retry.backoff) * 1000,
    maxDelayMs: (retry?.max_delay_seconds ?? defaults.retry.max_delay_seconds) * 1000,
  },
  timeoutMs: agent?.timeout_seconds === undefined ? shared.timeoutMs : agent.timeout_seconds * 1000,
  startsOnce: false,
  maxSteps: agent?.max_steps ?? shared.maxSteps,
  budget: { ...shared.budget, ...budgetOf(agent?.budget) },
  prices: shared.prices,
  toolsets: toolsets ?? tools.ofRuns,
  skills: skills ?? [],
  ...(profile ? { profileFolder: profile.dir } : {}),
  ...(agent?.model === undefined ? {} : { model: agent.model }),
  ...(agent?.max_output_tokens === undefined ? {} : { maxOutputTokens: agent.max_output_tokens }),
  ...(agent?.untrusted === undefined ? {} : { handling: agent.untrusted }),
})

export const jobPolicyOf = (config: PolicyConfig, job: Pick<Job, 'model' | 'skills' | 'toolsets'> | undefined): RunPolicy => {
  const { model, skills, toolsets } = job ?? {}
  const written = { ...(model === undefined ? {} : { agent: { model } }), ...(skills ? { skills } : {}), ...(toolsets ? { toolsets } : {}) }
  return { ...policyOf(config, written), startsOnce: true }
}
