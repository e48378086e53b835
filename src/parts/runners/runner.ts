/** A runner: asks an agent. */

import type { NewRun } from '../../store/ports.ts'
import type { Report } from '../report.ts'

export type Runner = (
  prompt: string,
  job: { readonly run: NewRun; readonly model?: string; readonly maxOutputTokens?: number; readonly signal: AbortSignal },
) => Promise<string>

export type RunnerPart = {
  /** What `agent.runner` calls it. */
  readonly name: string
  /** For people, where editors list the runners. */
  readonly title: string
  /** Said once when the gateway starts. */
  readonly notice?: string
  compile(settings: RunnerSettings, report: Report): Runner
}

export type RunnerSettings = {
  readonly command?: readonly string[]
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly model?: string
  readonly system?: string
  readonly maxOutputTokens?: number
}
