/** The contract of tools: what an agent may use while it works, in toolsets that a configuration names. */

import type { Clock } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Log } from '../../core/log.ts'
import type { Closable } from '../../core/owner.ts'
import type { NewRun } from '../../store/ports.ts'
import type { Report } from '../report.ts'

/** A function that a model may call. */
export type Tool = {
  /** As the model calls it: letters, digits, `_` and `-`, at most 64. No two tools of a run have one name. */
  readonly name: string
  /** For the model: what it does, and when to use it. */
  readonly description: string
  /** A JSON Schema of the input, which is an object. The input of a call may be anything else all the same. */
  readonly input: JsonObject
  /** Gives a text for the model. Rejects when it fails; the model is told the message, so it quotes no secret. Ends when `signal` aborts. */
  call(input: JsonObject, call: ToolCall): Promise<string>
}

/** What a tool knows of the run that calls it. */
export type ToolCall = {
  readonly run: NewRun
  readonly signal: AbortSignal
  /** Asks the run's model about a picture. Absent where the runner cannot do that. The cost counts to the run. */
  readonly askAboutPicture?: (picture: Picture, question: string) => Promise<string>
}

/** `mediaType`: of the bytes themselves, whatever their sender said, as `image/png`. */
export type Picture = { readonly bytes: Uint8Array; readonly mediaType: string }

/** Gives the tools of a set. What the tools need is opened by the first call. Rejects when that fails; the next run calls again. */
export type Toolset = (signal: AbortSignal) => Promise<readonly Tool[]>

/** What a toolset is compiled with. */
export type ToolKit = {
  readonly report: Report
  readonly log: Log
  readonly clock: Clock
  /** The environment of the default profile. */
  readonly env: { readonly [name: string]: string | undefined }
}

/** What the schema says of a toolset's section below `tools`: a JSON Schema (draft-07) of an object that has these keys and no others. */
export type ToolsetSchema = {
  readonly title: string
  readonly description: string
  /** The description in Markdown. When absent, it is the description. */
  readonly markdownDescription?: string
  readonly properties: { readonly [key: string]: JsonObject }
}

/** A toolset that is built in. */
export type ToolsetPart = {
  /**
   * The name in `toolsets` and `platform_toolsets`, and of the section below `tools`. The set has one tool, of this name too, and no other tool
   * may have it.
   */
  readonly name: string
  /** The name for people, in editors. */
  readonly title: string
  /** Its section below `tools`. When absent, it has none. */
  readonly schema?: ToolsetSchema
  /** The environment variables that may hold its keys, which no log and no answer may show. */
  readonly env?: readonly string[]
  /** `settings`: its section below `tools`, with references resolved. `undefined`: it cannot work with these settings, and a run goes without. */
  compile(settings: JsonObject, kit: ToolKit): Closable<Toolset> | undefined
}
