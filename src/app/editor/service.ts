/** The editor service: what an editor of routes asks the program. Questions and answers are plain data, so that the service can work in another thread. */

import type { Diagnostic, Path } from '../../core/diagnostic.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Reply } from '../../core/outcome.ts'
import type { Hunk } from '../line-diff.ts'
import type { Trace } from '../trace/trace.ts'
import type { OpenedRoute, RouteDraft, Step } from './draft/route-draft.ts'
import type { NamesKey } from './names-keys.ts'

/** A route in the list of all. */
export type RouteRow = {
  readonly name: string
  readonly source: 'config' | 'subscription'
  readonly enabled: boolean
  readonly shadowed: boolean
  readonly mode: string
  readonly events: readonly string[]
  readonly deliver: string
  readonly description: string
  /** As it is written, with its secrets hidden. */
  readonly spec: JsonObject
  /** The first findings about the route. */
  readonly findings: readonly Pick<Diagnostic, 'code' | 'severity' | 'message'>[]
  readonly errors: number
  readonly warnings: number
  /** Of the events that are recorded. */
  readonly recorded: number
  /** When the last one came, milliseconds since 1970. */
  readonly lastAt?: number
}

export type Home = {
  readonly file: string
  readonly subscriptions: number
  readonly rows: readonly RouteRow[]
  /** The address of a gateway that runs on this data directory. */
  readonly gateway?: string
  /** What is wrong with the files as a whole, and where. */
  readonly problem?: { readonly said: string; readonly file: string; readonly line: number }
}

/** Where the payload comes from with which a route is tried. */
export type PayloadChoice =
  | { readonly from: 'sample'; readonly name: string }
  | { readonly from: 'event'; readonly id: string }
  | { readonly from: 'file'; readonly file: string }
  /** Written or pasted by the user. `headers`: those of the payload that it was made from. */
  | { readonly from: 'text'; readonly text: string; readonly headers?: Payload['headers'] }

export type PayloadRow = {
  readonly choice: PayloadChoice
  readonly group: 'samples' | 'recorded'
  readonly title: string
  readonly detail: string
  /** As far as its headers and type tell, the route takes it. */
  readonly fits: boolean
}

/** A value in a payload, by the path that filters and templates have for it. */
export type PayloadValue = {
  readonly path: string
  /** As schemas call it: `string`, `number`, `boolean`, `null`, `array`, `object`. */
  readonly type: string
  /** As JSON, cut where it is long; of a list or map how much is in it. */
  readonly shown: string
}

export type Payload = {
  readonly choice: PayloadChoice
  readonly title: string
  /** The body as it was sent, formatted where it is JSON; cut where it is long. */
  readonly body: string
  readonly isCut?: boolean
  readonly bytes: number
  readonly headers: { readonly [name: string]: string }
  /** What is in it, bounded; the event's type and the headers too. */
  readonly values: readonly PayloadValue[]
}

/** A trace without the event, which the editor has. */
export type TraceShown = Omit<Trace, 'event' | 'outcome' | 'answer'> & {
  /** The stage that the conditions belong to. */
  readonly conditionsIn: string
  readonly answer: Reply
  readonly eventType?: string
}

/** How many of the tried samples that get to the filters a condition holds for. */
export type Tally = {
  readonly holds: number
  readonly of: number
  /** What its field holds in them, as JSON: each value once, a few of them. */
  readonly seen: readonly string[]
}

export type PreviewRequest = {
  readonly draft: RouteDraft
  readonly payload?: PayloadChoice
  /** Comes back with the answer: which state of the editor it is about. */
  readonly revision: number
}

/** What the program says of a draft. */
export type Preview = {
  readonly revision: number
  /** Why a change cannot be put into the file. */
  readonly refused?: string
  /** Of this route, by place. */
  readonly findings: readonly Diagnostic[]
  /** What mends findings, as steps of the draft. */
  readonly fixes: readonly Step[]
  /** The lines of the file that are the route's own; secrets are stars. */
  readonly yaml: string
  readonly trace?: TraceShown
  /** Why there is none. */
  readonly untraced?: string
  /** The prompt or message on the payload, whatever the filters say. */
  readonly prompt?: { readonly text: string; readonly unresolved: readonly string[]; readonly cuts: readonly string[] }
  /** `deliver_extra` on the payload, whatever the filters say; of several targets a list. */
  readonly extra?: Json
  /** By the name that a trace has for the condition (`filters[1].not`). */
  readonly tallies: { readonly [condition: string]: Tally }
  /** So many samples were not tried: they are too many, too large, or the time was over. */
  readonly untallied?: number
}

export type PlanRequest = {
  readonly draft: RouteDraft
  /** The changes are put into the file as it is now. */
  readonly onto?: 'current'
}

/** What saving would do. No secret is in it. */
export type SavePlan = {
  readonly file: string
  readonly diff: readonly Hunk[]
  /** Those of this route, and those that come with the changes. */
  readonly findings: readonly Diagnostic[]
  /** With such errors nothing is saved: they stop the start, or the route is a subscription. */
  readonly stops: boolean
  /** What somebody else changed in the file since it was opened. The changes are not put onto it unasked. */
  readonly conflict?: readonly Hunk[]
  /** Why the changes cannot be put into the file. */
  readonly refused?: string
}

export type SaveRequest = PlanRequest & {
  /** Saved although there are errors; never with one that stops the start. */
  readonly despiteErrors: boolean
  /** Another file to write, which must not be there yet; the route's own stays as it is. */
  readonly as?: string
}

export type Saved =
  /** `opened`: the route as it stands in the file then; of a deleted one what it was, with the text without it. */
  | { readonly ok: true; readonly opened: OpenedRoute; readonly isDeleted?: true; readonly notices: readonly string[] }
  | { readonly ok: false; readonly why: 'errors' | 'stops' | 'conflict' | 'refused'; readonly plan: SavePlan; readonly message: string }

/** A draft that was left unsaved, on the file as it is now. */
export type KeptDraft = {
  readonly draft: RouteDraft
  /** Milliseconds since 1970. */
  readonly at: number
  /** What became of the file meanwhile. */
  readonly note?: string
}

/** A target as the deliver picker shows it. */
export type TargetRow = {
  readonly name: string
  readonly title: string
  /** What is missing and where to write it. `undefined`: connected. */
  readonly missing?: string
  /** The home channel: where a text goes that names no chat. */
  readonly home?: string
  /** It reaches nobody: a message needs another one. */
  readonly isInternal?: true
  /** The schema of its `deliver_extra`. */
  readonly settings: JsonObject
}

/** `key`: the key of the route that holds names. */
export type NamesRequest = { readonly draft: RouteDraft; readonly key: NamesKey }

/** `detail`: whose it is. */
export type OfferedName = { readonly name: string; readonly detail: string }

export type Tested = { readonly ok: boolean; readonly said: string; readonly eventId?: string }

/** `source` tells a subscription from the configured route that hides it. */
export type NamedRoute = { readonly name: string; readonly source?: OpenedRoute['source'] }

/** `like`: the sample or the recorded event of which the route is made. */
export type NewRoute = { readonly name: string; readonly clone?: string; readonly like?: string }

/** Each method is a question, and rejects with a Fault. */
export type EditorService = {
  home(of: Record<never, never>): Promise<Home>
  open(of: NamedRoute): Promise<OpenedRoute>
  /** As `open`, of the route that is open: its file was changed. */
  reopen(of: NamedRoute): Promise<OpenedRoute>
  create(of: NewRoute): Promise<OpenedRoute>
  preview(of: PreviewRequest): Promise<Preview>
  /** The line of the file on which a path of the route stands, from 1. */
  line(of: { readonly opened: OpenedRoute; readonly path: Path }): Promise<number>
  /** The first of those that fit is the best to begin with. */
  payloads(of: { readonly route?: string }): Promise<readonly PayloadRow[]>
  payload(of: { readonly choice: PayloadChoice; readonly route: string }): Promise<Payload>
  /** As `payload`, to be looked at: the payload that is chosen stays. */
  recorded(of: { readonly choice: PayloadChoice; readonly route: string }): Promise<Payload>
  /** What may stand in a list of names. */
  names(of: NamesRequest): Promise<readonly OfferedName[]>
  /** As they are connected in a profile. */
  targets(of: { readonly profile?: string }): Promise<readonly TargetRow[]>
  plan(of: PlanRequest): Promise<SavePlan>
  save(of: SaveRequest): Promise<Saved>
  /** Posts a signed test of what is saved to the running gateway. */
  test(of: { readonly name: string; readonly payload?: PayloadChoice }): Promise<Tested>
  /** Sends a short text to a target of the route, with its settings on the payload. */
  testTarget(of: { readonly draft: RouteDraft; readonly target: string; readonly payload?: PayloadChoice }): Promise<Tested>
  /** A payload through a route as it is saved. */
  traceOf(of: { readonly route: string; readonly choice: PayloadChoice }): Promise<TraceShown>
  replay(of: { readonly eventId: string }): Promise<Tested>
  curl(of: { readonly eventId: string }): Promise<string>
  addSample(of: { readonly eventId: string; readonly name: string }): Promise<string>
  addTest(of: { readonly eventId: string }): Promise<string>
  /** The latest first; of one route, or of all. */
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
