/** The contract of tools: functions that an agent may call while it works. Tools come in toolsets, which a configuration names. */

import type { Clock } from '../../core/clock.ts'
import type { Report } from '../../core/diagnostic.ts'
import type { ExactObject, JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import type { NewRun } from '../../core/new-run.ts'
import type { Closable } from '../../core/scope.ts'

/** A function that a model may call. */
export type Tool = {
  /** The name by which the model calls the tool: letters, digits, `_` and `-`, at most 64. No two tools of a run have the same name. */
  readonly name: string
  /** For the model: what the tool does, and when to use it. */
  readonly description: string
  /** A JSON Schema of the input, which is an object. Models may give inputs that do not fit the schema. */
  readonly input: JsonObject
  /**
   * Resolves to a text for the model. The message of a rejection goes to the model too, and must quote no secret. The call must end when
   * `signal` of the ToolCall aborts. The numbers of the input are as the model wrote them.
   */
  call(input: ExactObject, call: ToolCall): Promise<string>
}

export type ToolCall = {
  readonly run: NewRun
  readonly signal: AbortSignal
  /** The place of the call in its trace, in the form of W3C Trace Context. Absent while traces are off. */
  readonly traceparent?: string
  /** Asks the run's model about a picture. The usage counts to the run. Absent where the runner cannot ask about pictures. */
  readonly askAboutPicture?: (picture: Picture, question: string) => Promise<string>
}

/** Called when a call of a tool begins. `toolset`: the toolset that has the tool. */
export type BeginToolCall = (toolset: string, tool: string, input: ExactObject) => BegunToolCall

/**
 * A call of a tool that has begun. `traceparent`: the place of the call in its trace. `ended` notes whether the call succeeded, and its
 * result, or why it failed; only the first call of `ended` counts.
 */
export type BegunToolCall = { readonly traceparent?: string; readonly ended: (ok: boolean, result: string) => void }

/** A picture. `mediaType`: such as `image/png`, found from the bytes themselves and not from what the server said of them. */
export type Picture = { readonly bytes: Uint8Array; readonly mediaType: string }

/**
 * Resolves to the tools of a set, for one run. The first call opens what the tools need, for example a connection. Rejects when the opening
 * fails or `signal` aborts; the next run tries again.
 */
export type Toolset = (signal: AbortSignal) => Promise<readonly Tool[]>

export type ToolKit = {
  readonly report: Report
  readonly log: Log
  readonly clock: Clock
  /** The environment of the default profile. */
  readonly env: { readonly [name: string]: string | undefined }
}

/** What the schema says of a toolset's section below `tools`: a JSON Schema (draft-07) of a map with these keys only. */
export type ToolsetSchema = {
  readonly title: string
  readonly description: string
  /** The description in Markdown. When absent, `description` takes its place. */
  readonly markdownDescription?: string
  readonly properties: { readonly [key: string]: JsonObject }
}

/** A toolset that is built in. */
export type ToolsetPart = {
  /**
   * The name by which routes, jobs and `platform_toolsets` name the set, and of the section below `tools`. The set has one tool, which has
   * the same name. No other tool may have this name.
   */
  readonly name: string
  /** The name for people, in editors. */
  readonly title: string
  /** The toolset's section below `tools`. When absent, the toolset has no settings. */
  readonly schema?: ToolsetSchema
  /** The environment variables that may give settings of the toolset. No log and no answer may show their values. */
  readonly env?: readonly string[]
  /**
   * Makes the toolset from its section below `tools`, with references resolved. `undefined`: the toolset cannot work with these settings,
   * so runs do not have its tools.
   */
  compile(settings: JsonObject, kit: ToolKit): Closable<Toolset> | undefined
}
