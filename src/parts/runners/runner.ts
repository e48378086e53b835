/** The contract of runners: a runner sends a prompt to an agent, and returns the agent's reply. */

import type { Report } from '../../core/diagnostic.ts'
import type { NewRun } from '../../core/new-run.ts'
import type { TextSpan } from '../../core/prompt.ts'
import type { Closable } from '../../core/scope.ts'
import { runnersEnv } from '../../generated/settings.ts'
import type { Tool } from '../tools/tool.ts'

/** Returns the names of the variables of a built-in runner, by setting; an empty map for a runner without variables. */
export const builtinEnv = (runner: string): RunnerEnv => runnersEnv[runner] ?? {}

/** Asks the agent, and resolves to its reply. A runner rejects when there is no reply, and must stop when `job.signal` aborts. */
export type Runner = (prompt: string, job: RunnerJob) => Promise<string>

/** The data and the calls that a runner gets besides the prompt of a run. A runner ignores members that its agent cannot use. */
export type RunnerJob = {
  readonly run: NewRun
  readonly signal: AbortSignal
  readonly model?: string
  readonly maxOutputTokens?: number
  /** The most calls of the model, each of which may use tools. A question about a picture is not counted. Absent: 1. */
  readonly maxSteps?: number
  /** The parts of the prompt that a sender wrote: values longer than a line, and a whole payload of any length. */
  readonly untrusted?: readonly TextSpan[]
  /** How a sender's text is marked for the agent. Absent: as the settings say. */
  readonly handling?: Handling
  readonly tools?: readonly Tool[]
  readonly skills?: readonly Skill[]
  /** The earlier messages of the run's session, oldest first. */
  readonly history?: readonly Turn[]
  /**
   * Called with the usage after each call of a model, or with that of several models which were called meanwhile. Rejects with an AgentFault
   * when a budget is used up; then no call may follow.
   */
  readonly used?: (...calls: readonly CallUsage[]) => Promise<void>
  /**
   * Writes the files of the run (`run.files`) to a folder that exists until the runner has answered. Resolves to their paths, in order.
   * Absent where the run has no files.
   */
  readonly writeFiles?: () => Promise<readonly string[]>
  /**
   * Writes the payload of the event (`run.given.payload`) to a file in the same folder, readable for the gateway's user alone. Resolves to
   * its path. Absent where the run keeps no payload.
   */
  readonly writePayload?: () => Promise<string>
  /** The place of the attempt in its trace, in the form of W3C Trace Context. Absent while traces are off. */
  readonly traceparent?: string
  /** Called when a call of a model begins, for metrics and traces. */
  readonly beginModelCall?: BeginModelCall
  /** Called with the text of the agent piece by piece while it comes, for a log. */
  readonly heard?: (text: string) => void
}

/**
 * How text from strangers is marked for a model. `fence`: the text stands between boundaries that nobody can know before. `mark`: each line
 * of the text begins with a mark that nobody can know before. `off`: the text is not marked.
 */
export type Handling = 'fence' | 'mark' | 'off'

/** An operator's instructions for a kind of work. `folder`: the folder with the files of the skill. */
export type Skill = { readonly name: string; readonly text: string; readonly folder: string }

type Turn = { readonly role: 'user' | 'assistant'; readonly text: string }

/** Notes that a call of a model begins. `provider`: the service that runs the model, such as `openai`. `model`: the name of the model. */
export type BeginModelCall = (provider: string, model: string) => BegunModelCall

/**
 * A call of a model that has begun. `traceparent`: the place of the call in its trace, which is sent to the API as a header. `ended` notes
 * the end of the call: whether the call succeeded, and its tokens. When `ended` is called several times, the first time counts.
 */
export type BegunModelCall = {
  readonly traceparent?: string
  readonly ended: (ok: boolean, inputTokens?: number, outputTokens?: number) => void
}

export type CallUsage = {
  /** Empty where it is not known. */
  readonly model: string
  /**
   * The tokens as the API reports them, whole numbers of at least 0. Any other number counts as not reported. Zeros for both counts also
   * mean that the API reported nothing.
   */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The names of the run's tools that the model called, one for each call. */
  readonly tools: readonly string[]
  /** How often the model was called. Absent: once. */
  readonly steps?: number
  /** What the agent itself says the calls cost. It counts where the model has no price. Absent, 0 or no sum of money: not known. */
  readonly cost?: number
  /** The id of the session that the agent keeps itself, for whoever goes on with it by hand. */
  readonly session?: string
  /** The names of the tools that were refused to the agent by its own rules, without an end of the run. */
  readonly refused?: readonly string[]
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
  /** The name in `agent.runner`. */
  readonly name: string
  /** The name for people, in editors. */
  readonly title: string
  /** The notice that the gateway logs once when it starts. */
  readonly notice?: string
  /** The behaviour of a stand-in for an agent, for example `answers with the prompt`. `headgate doctor` warns of it. */
  readonly standIn?: string
  /** The keys that the runner acts on. A key that no runner lists is not its matter. Absent: not known, and nothing is reported. */
  readonly reads?: readonly RunnerKey[]
  /** The keys that the runner acts on besides `reads`, by the value of one of its own keys. */
  readonly readsBy?: { readonly key: RunnerKey; readonly keys: ReadonlyMap<string, readonly RunnerKey[]> }
  /** The environment variables that give settings. Their values win over the file. A built-in runner uses `builtinEnv(name)`. */
  readonly env?: RunnerEnv
  /**
   * The runner's API, unless `agent.base_url` says otherwise. Only this API gets the key in the environment. `keyless`: whether an address
   * needs no key.
   */
  readonly api?: { readonly url: string; keyless?(baseUrl: string): boolean }
  /** Returns the program that these settings name: its path, or its name on the PATH; `undefined` where they name none. */
  program?(settings: RunnerSettings): string | undefined
  /** Returns the function that asks the agent. Settings that are missing or wrong go to `report`. */
  compile(settings: RunnerSettings, report: Report): Closable<Runner>
}

/**
 * A key that acts with some runners only. In the schema, `x-needs` names it beside the keys of the agent, of routes and of jobs. `tools`: the
 * sections of tools and toolsets. `history`: the earlier messages of a session. `spending`: the tokens and the money of a budget.
 */
export type RunnerKey =
  | 'command'
  | 'base_url'
  | 'api_key'
  | 'model'
  | 'system'
  | 'max_steps'
  | 'max_output_tokens'
  | 'env'
  | 'output'
  | 'payload'
  | 'untrusted'
  | 'spending'
  | 'prices'
  | 'tools'
  | 'history'

/** Names of environment variables, by setting. Of the variables of one setting, the first that is set counts. */
export type RunnerEnv = { readonly apiKey?: readonly string[] }

/** The settings of the section `agent` that runners use, with references resolved. */
export type RunnerSettings = {
  readonly command?: readonly string[]
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly model?: string
  readonly system?: string
  readonly maxOutputTokens?: number
  readonly untrusted?: Handling
  /** The name of the form of what the agent's program prints. */
  readonly output?: string
  /**
   * The variables in `agent.env`, with their values, as far as no event fills them in (`run.given.env`). The agent's program gets them
   * besides PATH, HOME, the language and the like.
   */
  readonly variables?: { readonly [name: string]: string }
}
