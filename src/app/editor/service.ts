/** The editor service: the questions of an editor of routes. Questions and answers are plain data, which can go to another thread. */

import type { Diagnostic, Path } from '../../core/diagnostic.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Reply } from '../../core/outcome.ts'
import type { Hunk } from '../line-diff.ts'
import type { Trace } from '../trace/trace.ts'
import type { OpenedRoute, RouteDraft, Step } from './draft/route-draft.ts'
import type { NamesKey } from './names-keys.ts'

/** A route in the list of all routes. */
export type RouteRow = {
  readonly name: string
  readonly source: 'config' | 'subscription'
  readonly enabled: boolean
  readonly shadowed: boolean
  readonly mode: string
  readonly events: readonly string[]
  readonly deliver: string
  readonly description: string
  /** The route as it is written, with its secrets hidden. */
  readonly spec: JsonObject
  /** The first findings about the route. */
  readonly findings: readonly Pick<Diagnostic, 'code' | 'severity' | 'message'>[]
  readonly errors: number
  readonly warnings: number
  /** The number of the route's recorded events. */
  readonly recorded: number
  /** The time of the latest recorded event, in milliseconds since 1970. */
  readonly lastAt?: number
}

export type Home = {
  readonly file: string
  readonly subscriptions: number
  readonly rows: readonly RouteRow[]
  /** The address of a gateway that runs on this data directory. */
  readonly gateway?: string
  /** What is wrong with the files as a whole, and where. */
  readonly problem?: { readonly message: string; readonly file: string; readonly line: number }
}

/** Where the payload that a route is tried with comes from. */
export type PayloadChoice =
  | { readonly from: 'sample'; readonly name: string }
  | { readonly from: 'event'; readonly id: string }
  | { readonly from: 'file'; readonly file: string }
  /** Written or pasted by the user. `headers`: the headers of the payload that the text was made from. */
  | { readonly from: 'text'; readonly text: string; readonly headers?: Payload['headers'] }

export type PayloadRow = {
  readonly choice: PayloadChoice
  readonly group: 'samples' | 'recorded'
  readonly title: string
  readonly detail: string
  /** As far as the payload's headers and type show, the route takes the payload. */
  readonly fits: boolean
}

/** A value in a payload, with the path that filters and templates use for it. */
export type PayloadValue = {
  readonly path: string
  /** The type, as in schemas: `string`, `number`, `boolean`, `null`, `array`, `object`. */
  readonly type: string
  /** The value as JSON, cut if it is long. A list or map is shown as the number of its members. */
  readonly shown: string
}

export type Payload = {
  readonly choice: PayloadChoice
  readonly title: string
  /** The body as it was sent, formatted if it is JSON, and cut if it is long. */
  readonly body: string
  readonly isCut?: boolean
  readonly bytes: number
  readonly headers: { readonly [name: string]: string }
  /** The values in the payload, up to a bound, and the event's type and the headers. */
  readonly values: readonly PayloadValue[]
}

/** A trace without the event, because the editor has the event already. */
export type TraceShown = Omit<Trace, 'event' | 'outcome' | 'answer'> & {
  /** The stage that the conditions belong to. */
  readonly conditionsIn: string
  readonly answer: Reply
  readonly eventType?: string
}

/** How a condition fares on the samples that reach the filters: it holds for `holds` of `of` samples. */
export type Tally = {
  readonly holds: number
  readonly of: number
  /** Values that the condition's field has in the samples, as JSON: each value once, and only a few. */
  readonly seen: readonly string[]
}

export type PreviewRequest = {
  readonly draft: RouteDraft
  readonly payload?: PayloadChoice
  /** The number of the editor's state that the preview is about. The preview has the revision of its request. */
  readonly revision: number
}

/** What the program finds out about a draft. */
export type Preview = {
  readonly revision: number
  /** Why a change cannot be put into the file; `undefined` if all changes can. */
  readonly refused?: string
  /** The findings about the route, in the order of their places. */
  readonly findings: readonly Diagnostic[]
  /** The fixes of findings, as steps of the draft. */
  readonly fixes: readonly Step[]
  /** The lines of the file that belong to the route, with stars for secrets. */
  readonly yaml: string
  readonly trace?: TraceShown
  /** Why there is no trace. */
  readonly untraced?: string
  /** The prompt or message, filled in from the payload even if the filters would stop the payload. */
  readonly prompt?: { readonly text: string; readonly unresolved: readonly string[]; readonly cuts: readonly string[] }
  /** `deliver_extra`, filled in from the payload even if the filters would stop the payload; a list for several targets. */
  readonly extra?: Json
  /** The tallies by the names that a trace gives to conditions (`filters[1].not`). */
  readonly tallies: { readonly [condition: string]: Tally }
  /** The number of samples that were not tried: there were too many, they were too large, or the time was over. */
  readonly untallied?: number
}

export type PlanRequest = {
  readonly draft: RouteDraft
  /** `current`: the changes go onto the file as it is now. Otherwise, a file that was changed since it was opened is a conflict. */
  readonly onto?: 'current'
}

/** What saving would do. A plan has no secrets in it. */
export type SavePlan = {
  readonly file: string
  readonly diff: readonly Hunk[]
  /** The findings about the route, and those that the changes add. */
  readonly findings: readonly Diagnostic[]
  /** The findings include errors that prevent saving: errors that stop the start, or any error of a subscription. */
  readonly stops: boolean
  /** The changes of others to the file since it was opened. The draft goes onto such a file only if the user says so. */
  readonly conflict?: readonly Hunk[]
  /** Why the changes cannot be put into the file; `undefined` if they can. */
  readonly refused?: string
}

export type SaveRequest = PlanRequest & {
  /** Saves even if there are errors, but never with an error that stops the start. */
  readonly despiteErrors: boolean
  /** The path of another file to write, which must not exist yet. The route's own file is not changed. */
  readonly as?: string
}

export type Saved =
  /** `opened`: the route as the file has it after saving. A deleted route is as it was, and the text is without it. */
  | { readonly ok: true; readonly opened: OpenedRoute; readonly isDeleted?: true; readonly notices: readonly string[] }
  | { readonly ok: false; readonly why: 'errors' | 'stops' | 'conflict' | 'refused'; readonly plan: SavePlan; readonly message: string }

/** A draft that was left unsaved, on the file as it is now. */
export type KeptDraft = {
  readonly draft: RouteDraft
  /** Milliseconds since 1970. */
  readonly at: number
  /** A sentence about the changes to the file since the draft was kept; `undefined` if there are none. */
  readonly note?: string
}

/** A target as the deliver picker shows it. */
export type TargetRow = {
  readonly name: string
  readonly title: string
  /** Why the target is not connected, and what to write where; `undefined` if the target is connected. */
  readonly missing?: string
  /** The home channel, which gets the texts that name no chat. */
  readonly home?: string
  /** The target reaches nobody. A message for people needs another target. */
  readonly isInternal?: true
  /** The schema of its `deliver_extra`. */
  readonly settings: JsonObject
}

/** The question for the names that a key of the route (`verify`, `events`) may have as its value. */
export type NamesRequest = { readonly draft: RouteDraft; readonly key: NamesKey }

/** A name to pick. `detail`: the scheme or the senders that the name belongs to. */
export type OfferedName = { readonly name: string; readonly detail: string }

export type Tested = { readonly ok: boolean; readonly message: string; readonly eventId?: string }

/** The name of a route. `source` tells a subscription from the configured route that hides it. */
export type NamedRoute = { readonly name: string; readonly source?: OpenedRoute['source'] }

/** The name of a new route. `clone`: the route to copy. `like`: the sample or recorded event to make the route of. */
export type NewRoute = { readonly name: string; readonly clone?: string; readonly like?: string }

/** The questions, a method for each. A method rejects with a Fault. */
export type EditorService = {
  home(of: Record<never, never>): Promise<Home>
  open(of: NamedRoute): Promise<OpenedRoute>
  /** Opens again the route that is open, because its file was changed. */
  reopen(of: NamedRoute): Promise<OpenedRoute>
  create(of: NewRoute): Promise<OpenedRoute>
  preview(of: PreviewRequest): Promise<Preview>
  /** Returns the line of a path of the route in the file, from 1. */
  line(of: { readonly opened: OpenedRoute; readonly path: Path }): Promise<number>
  /** Lists payloads. The first row that fits is the best to begin with. */
  payloads(of: { readonly route?: string }): Promise<readonly PayloadRow[]>
  payload(of: { readonly choice: PayloadChoice; readonly route: string }): Promise<Payload>
  /** Reads a payload for display only: the chosen payload stays. */
  recorded(of: { readonly choice: PayloadChoice; readonly route: string }): Promise<Payload>
  /** Lists the names that a key of the route may have. */
  names(of: NamesRequest): Promise<readonly OfferedName[]>
  /** Lists the targets, and whether they are connected in a profile. */
  targets(of: { readonly profile?: string }): Promise<readonly TargetRow[]>
  plan(of: PlanRequest): Promise<SavePlan>
  save(of: SaveRequest): Promise<Saved>
  /** Posts a signed test request for a saved route to the running gateway. */
  test(of: { readonly name: string; readonly payload?: PayloadChoice }): Promise<Tested>
  /** Sends a short text to a target of the route, with the target's settings filled in from the payload. */
  testTarget(of: { readonly draft: RouteDraft; readonly target: string; readonly payload?: PayloadChoice }): Promise<Tested>
  /** Traces a payload through a route as it is saved. */
  traceOf(of: { readonly route: string; readonly choice: PayloadChoice }): Promise<TraceShown>
  replay(of: { readonly eventId: string }): Promise<Tested>
  curl(of: { readonly eventId: string }): Promise<string>
  addSample(of: { readonly eventId: string; readonly name: string }): Promise<string>
  addTest(of: { readonly eventId: string }): Promise<string>
  /** Lists the kept drafts of one route, or of all routes, the latest first. */
  drafts(of: { readonly route?: string }): Promise<readonly KeptDraft[]>
  keepDraft(of: { readonly draft: RouteDraft }): Promise<string>
  dropDraft(of: Required<NamedRoute>): Promise<void>
}

export type Question = {
  [Ask in keyof EditorService]: { readonly ask: Ask; readonly of: Parameters<EditorService[Ask]>[0] }
}[keyof EditorService]

/** The answer to a question, with the question itself; or why there is no answer. */
export type Answer =
  | {
      [Ask in keyof EditorService]: {
        readonly type: Ask
        readonly of: Parameters<EditorService[Ask]>[0]
        readonly answer: Awaited<ReturnType<EditorService[Ask]>>
      }
    }[keyof EditorService]
  | { readonly type: 'failed'; readonly ask: keyof EditorService; readonly message: string; readonly hint?: string }
