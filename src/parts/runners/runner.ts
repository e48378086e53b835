/** The contract of runners: a runner asks an agent, and gives its reply. */

import type { Closable } from '../../core/owner.ts'
import type { NewRun } from '../../store/ports.ts'
import type { Report } from '../report.ts'

/** Asks the agent. Rejects when there is no reply; it must end when `signal` aborts. */
export type Runner = (
  prompt: string,
  job: { readonly run: NewRun; readonly model?: string; readonly maxOutputTokens?: number; readonly signal: AbortSignal },
) => Promise<string>

/**
 * One runner, whole.
 * @example
 * const local: RunnerPart = {
 *   name: 'local',
 *   title: 'An agent on this machine',
 *   compile(settings, report) {
 *     const { baseUrl } = settings
 *     if (baseUrl === undefined) report('WH222', ['base_url'], 'the local runner needs an address')
 *     return async (prompt, { signal }) => (await fetch(`${baseUrl}/ask`, { method: 'POST', body: prompt, signal })).text()
 *   },
 * }
 */
export type RunnerPart = {
  /** The name for `agent.runner`. */
  readonly name: string
  /** The name for people, in editors. */
  readonly title: string
  /** What the log says once when the gateway starts. */
  readonly notice?: string
  compile(settings: RunnerSettings, report: Report): Closable<Runner>
}

export type RunnerSettings = {
  readonly command?: readonly string[]
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly model?: string
  readonly system?: string
  readonly maxOutputTokens?: number
}
