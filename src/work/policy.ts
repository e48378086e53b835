/** How a route's runs are tried: its own keys over the agent's settings over the defaults. */

import type { Config } from '../config/config.ts'
import type { Route } from '../generated/config.ts'
import { defaultRetry, type Retry } from './backoff.ts'

/** What a route says about its runs. */
export type RunPolicy = {
  readonly retry: Retry
  readonly timeoutMs: number
  readonly model?: string
  readonly maxOutputTokens?: number
}

const msOf = (seconds: number | undefined, fallback: number): number => (seconds === undefined ? fallback : seconds * 1000)

export const policyOf = (
  agentTimeoutMs: Config['agent']['timeoutMs'],
  { retry, agent }: Pick<Route, 'retry' | 'agent'> = {},
): RunPolicy => ({
  retry: {
    maxAttempts: retry?.max_attempts ?? defaultRetry.maxAttempts,
    backoffMs: msOf(retry?.backoff_seconds, defaultRetry.backoffMs),
    maxDelayMs: msOf(retry?.max_delay_seconds, defaultRetry.maxDelayMs),
  },
  timeoutMs: msOf(agent?.timeout_seconds, agentTimeoutMs),
  ...(agent?.model === undefined ? {} : { model: agent.model }),
  ...(agent?.max_output_tokens === undefined ? {} : { maxOutputTokens: agent.max_output_tokens }),
})
