/** The contract of runners: a runner sends a prompt to an agent, and returns the agent's reply. */

import type { Closable } from '../../core/owner.ts'
import type { NewRun } from '../../store/ports.ts'
import type { Report } from '../report.ts'

/** Asks the agent. A runner rejects when there is no reply, and must stop when `signal` aborts. */
export type Runner = (
  prompt: string,
  job: { readonly run: NewRun; readonly model?: string; readonly maxOutputTokens?: number; readonly signal: AbortSignal },
) => Promise<string>

/**
 * A way to ask an agent.
 * @example
 * export const runner: RunnerPart = {
 *   name: 'acme-agent',
 *   title: 'Acme',
 *   compile: ({ baseUrl }) => async (prompt, { signal }) => {
 *     const response = await fetch(`${baseUrl}/ask`, { method: 'POST', body: prompt, signal })
 *     return await response.text()
 *   },
 * }
 */
export type RunnerPart = {
  /** The name for `agent.runner`. */
  readonly name: string
  /** The name for people, in editors. */
  readonly title: string
  /** What the gateway logs once when it starts. */
  readonly notice?: string
  /** What a runner does that only stands in for an agent, for example `answers with the prompt`. `headgate doctor` warns of it. */
  readonly standIn?: string
  /** Environment variables that hold what the file leaves out. A built-in runner uses `builtinEnv(name)`. */
  readonly env?: RunnerEnv
  /** The API that it asks, unless `agent.base_url` says otherwise; `keyless`: an address that needs no key. */
  readonly api?: { readonly url: string; keyless?(baseUrl: string): boolean }
  /** The command that these settings start: its path, or a name that must be on the PATH. */
  program?(settings: RunnerSettings): string | undefined
  compile(settings: RunnerSettings, report: Report): Closable<Runner>
}

/** Names of environment variables, by setting: the first one that is set counts. */
export type RunnerEnv = { readonly apiKey?: readonly string[] }

/** The section `agent` of the configuration, with references resolved. */
export type RunnerSettings = {
  readonly command?: readonly string[]
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly model?: string
  readonly system?: string
  readonly maxOutputTokens?: number
}
