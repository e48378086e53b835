/** How a run is tried: by the keys of its route or job, else by the agent's settings, else by the defaults. */

import type { Config } from '../config/config.ts'
import type { Job, Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import type { Retry } from './backoff.ts'

export type RunPolicy = {
  readonly retry: Retry
  readonly timeoutMs: number
  /** True for a scheduled job: the agent is asked at most once, and only the delivery is tried again (rules: Jobs 7). */
  readonly startsOnce: boolean
  readonly model?: string
  readonly maxOutputTokens?: number
}

export const policyOf = (
  agentTimeoutMs: Config['agent']['timeoutMs'],
  { retry, agent }: Pick<Route, 'retry' | 'agent'> = {},
): RunPolicy => ({
  retry: {
    maxAttempts: retry?.max_attempts ?? defaults.retry.max_attempts,
    backoffMs: (retry?.backoff ?? defaults.retry.backoff) * 1000,
    maxDelayMs: (retry?.max_delay_seconds ?? defaults.retry.max_delay_seconds) * 1000,
  },
  timeoutMs: agent?.timeout_seconds === undefined ? agentTimeoutMs : agent.timeout_seconds * 1000,
  startsOnce: false,
  ...(agent?.model === undefined ? {} : { model: agent.model }),
  ...(agent?.max_output_tokens === undefined ? {} : { maxOutputTokens: agent.max_output_tokens }),
})

export const jobPolicyOf = (agentTimeoutMs: Config['agent']['timeoutMs'], job: Pick<Job, 'model'> | undefined): RunPolicy => ({
  ...policyOf(agentTimeoutMs, job?.model === undefined ? {} : { agent: { model: job.model } }),
  startsOnce: true,
})
