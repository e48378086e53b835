/** The contract of runners: a runner sends a prompt to an agent, and returns the agent's reply. */

import type { Span } from '../../core/agent/prompt.ts'
import type { Closable } from '../../core/owner.ts'
import type { NewRun } from '../../store/ports.ts'
import type { Report } from '../report.ts'
import type { Tool } from '../tools/tool.ts'

/** Asks the agent. A runner rejects when there is no reply, and must stop when `signal` aborts. */
export type Runner = (prompt: string, job: RunnerJob) => Promise<string>

/** What a run gives the agent besides its prompt. A runner leaves out what its agent has no use for. */
export type RunnerJob = {
  readonly run: NewRun
  readonly signal: AbortSignal
  readonly model?: string
  readonly maxOutputTokens?: number
  /** The most calls of the model, each of which may use tools. Absent: 1. */
  readonly maxSteps?: number
  /** Where the prompt has more than a line that a sender wrote. */
  readonly untrusted?: readonly Span[]
  /** How the agent is told of what a sender wrote; absent: as the settings say. */
  readonly handling?: Handling
  readonly tools?: readonly Tool[]
  readonly skills?: readonly Skill[]
  /** What was said before in the run's session, oldest first. */
  readonly history?: readonly Turn[]
  /** Told after each call of a model what it took. Throws an AgentFault when a budget is used up: then no further call is made. */
  readonly used?: (usage: Usage) => Promise<void>
  /** Hears the reply while it comes: for a log. */
  readonly heard?: (text: string) => void
}

/**
 * What a model is told of text from strangers. `fence`: it stands between boundaries that nobody can know before. `mark`: each of its
 * lines begins with a mark that nobody can know before. `off`: nothing.
 */
export type Handling = 'fence' | 'mark' | 'off'

/** Instructions of the operator's for a kind of work. `folder`: where its files are. */
export type Skill = { readonly name: string; readonly text: string; readonly folder: string }

/** One message of a session. */
export type Turn = { readonly role: 'user' | 'assistant'; readonly text: string }

/** What one call of a model took. */
export type Usage = {
  readonly model: string
  /** Whole and not below 0, as its API tells them. Any other number counts as not told; so do two zeros. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The names of the run's tools that it called, one for each call. */
  readonly tools: readonly string[]
}

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
  /**
   * The API that it asks, unless `agent.base_url` says otherwise: only this API is given the key of the environment. `keyless`: an address
   * that needs no key.
   */
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
  readonly untrusted?: Handling
  /** The variables that `agent.env` names, with their values: what the agent's program gets beyond the paths and the language. */
  readonly variables?: { readonly [name: string]: string }
}
