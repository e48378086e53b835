/** The editor service: the questions of an editor of routes. Questions and answers are plain data, which can go to another thread. */

import type { Diagnostic, Path } from '../core/diagnostic.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Hunk } from '../datadir/line-diff.ts'
import type { ShownPause } from '../features/pauses/pause-text.ts'
import type { DraftStep, OpenedRoute, RouteDraft } from './draft/route-draft.ts'
import type { TextRange } from './draft/text-places.ts'
import type { NamesKey, OfferedName, OfferedNames } from './names-keys.ts'
import type { TraceShown } from './shown-trace.ts'

/** A route in the list of all routes. */
export type RouteRow = {
  readonly name: string
  readonly source: 'config' | 'subscription'
  /** The included file that has the route, from the folder of `config.yaml`; absent for a route of `config.yaml`. */
  readonly file?: string
  readonly enabled: boolean
  readonly pause?: ShownPause
  /** The route is a subscription that a configured route of the same name hides. */
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
  /** The number of the route's events among the newest 1,000 recorded events. */
  readonly recorded: number
  /** The time of the latest recorded event, in milliseconds since 1970. */
  readonly lastAt?: number
}

/** The content of the first screen. `file`: the path of `config.yaml`. `subscriptions`: their number. */
export type Home = {
  readonly file: string
  readonly subscriptions: number
  readonly rows: readonly RouteRow[]
  /** The address of a gateway that runs on this data directory. */
  readonly gateway?: string
  /** The first error in the files that is about no single route, and where it stands. */
  readonly problem?: { readonly message: string; readonly file: string; readonly line: number }
}

/** The payload with which a route is tried, by the place that it comes from. */
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
  /** Whether the route takes the payload, as far as its headers and event type show. A recorded event always fits. */
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
  /** The body as it was sent, formatted if it is JSON, and cut if it is long. Of a body that is no text, a phrase with its size. */
  readonly body: string
  readonly isCut?: boolean
  readonly bytes: number
  readonly headers: { readonly [name: string]: string }
  /**
   * The values in the payload, up to a bound, the event's type and the headers. For a trial, also the paths that only the payload schema of
   * the route names; each says so in place of its value.
   */
  readonly values: readonly PayloadValue[]
}

/** For how many samples a condition holds: for `holds` of the `of` samples that reach the filters. */
export type ConditionTally = {
  readonly holds: number
  readonly of: number
  /** Values that the condition's field has in the samples, as JSON: each value once, and only a few. */
  readonly seen: readonly string[]
}

/**
 * `isBlind`: the user may not change anything, so the answer depends on no variable, and reveals nothing of files beside the configuration:
 * not even whether they exist.
 */
type Looked = { readonly draft: RouteDraft; readonly isBlind?: boolean }

export type PreviewRequest = Looked & {
  readonly payload?: PayloadChoice
  /** The number of the editor's state that the preview is about. The answer to the request has the same number. */
  readonly revision: number
}

/** What the program finds out about a draft. */
export type Preview = {
  readonly revision: number
  /** Why a step of the draft cannot be put into the file; `undefined` if all steps can. */
  readonly refused?: string
  readonly findings: readonly Diagnostic[]
  /** Why a field of the route would have no effect, such as a setting that it needs. The key is the JSON pointer of the field, set or not. */
  readonly lacking?: { readonly [pointer: string]: string }
  /** The fixes of findings, as steps of the draft. */
  readonly fixes: readonly DraftStep[]
  /** For each finding, where it stands in the route's text; `null` for a finding about no place in that text. */
  readonly places: readonly (TextRange | null)[]
  /** The lines of the draft's text that belong to the route, with stars for secrets. */
  readonly yaml: string
  readonly trace?: TraceShown
  /** Why there is no trace. */
  readonly untraced?: string
  /**
   * The prompt or message for the payload. `unresolved`: the placeholders without a value, as written. `cuts`: for each value that was cut,
   * its placeholder and its length before and after, in words for people.
   */
  readonly prompt?: { readonly text: string; readonly unresolved: readonly string[]; readonly cuts: readonly string[] }
  /** `deliver_extra` for the payload, also where the filters would stop the payload; a list for several targets. */
  readonly extra?: Json
  /** The tallies by the names that a trace gives to conditions (`filters[1].not`). */
  readonly tallies: { readonly [condition: string]: ConditionTally }
  /** How many samples were not tried: there were too many, they were too large, or the time was over. */
  readonly untallied?: number
}

export type PlanRequest = Looked & {
  /**
   * `current`: the steps of the draft are applied to the file as it is now. Absent: a file that was changed since the draft was opened is a
   * conflict.
   */
  readonly onto?: 'current'
}

/** What saving would do. A plan has no secrets in it. */
export type SavePlan = {
  readonly file: string
  readonly diff: readonly Hunk[]
  /** The findings about the route, and the findings about everything else that the changes add. */
  readonly findings: readonly Diagnostic[]
  /** Whether the findings prevent saving: an error that stops the start of a gateway, or any error of a subscription. */
  readonly stops: boolean
  /**
   * The changes that other users or programs made to the file since the draft was opened. The user decides whether to plan again with
   * `onto: 'current'`.
   */
  readonly conflict?: readonly Hunk[]
  /** Why the draft cannot be put into the file; `undefined` if it can. */
  readonly refused?: string
}

export type SaveRequest = PlanRequest & {
  /** Saves even if there are errors, but never where the plan `stops`. */
  readonly despiteErrors: boolean
  /** The path of another file to write instead, which must not exist yet. The route's own file is not changed. */
  readonly as?: string
}

export type Saved =
  /** `opened`: the route as the file has it now. A deleted route has its last `written`, and a `text` without the route. */
  | { readonly ok: true; readonly opened: OpenedRoute; readonly isDeleted?: true; readonly notices: readonly string[] }
  | { readonly ok: false; readonly why: 'errors' | 'stops' | 'conflict' | 'refused'; readonly plan: SavePlan; readonly message: string }

/** A draft that was left unsaved. Its steps are applied to the file as it is now. */
export type KeptDraft = {
  readonly draft: RouteDraft
  /** When the draft was kept, in milliseconds since 1970. */
  readonly at: number
  /** What has changed in the file since the draft was kept; `undefined` if nothing has, or the draft is a route that the file never had. */
  readonly note?: string
}

/** A target in the list from which the user chooses where a route delivers. */
export type TargetRow = {
  readonly name: string
  readonly title: string
  /** Why the target is not connected, and what to write where; `undefined` if the target is connected. */
  readonly missing?: string
  /** The home channel, which gets the texts that name no chat. */
  readonly home?: string
  /** The texts of the target reach only whoever runs the gateway. A message for other people needs another target. */
  readonly isInternal?: true
  /** The schema of the target's settings in `deliver_extra`. */
  readonly settings: JsonObject
}

/** The question for the names that a key of the route (`verify`, `events`) may have as its value. */
export type NamesRequest = { readonly draft: RouteDraft; readonly key: NamesKey }

/** The result of a test or a replay, as a sentence. `eventId`: the event that came of it. */
export type Tested = { readonly ok: boolean; readonly message: string; readonly eventId?: string }

/** The name of a route. `source` is needed where a configured route hides a subscription of the same name: it says which of the two. */
export type NamedRoute = { readonly name: string; readonly source?: OpenedRoute['source'] }

/** The name of a new route. `clone`: the name of a route to copy. `like`: the sample or recorded event to make the route of. */
export type NewRoute = { readonly name: string; readonly clone?: string; readonly like?: string }

/** The questions that change something which is no draft. The audit has a line of each. */
export type EditorChanges = {
  save(of: SaveRequest): Promise<Saved>
  replay(of: { readonly eventId: string }): Promise<Tested>
  addSample(of: { readonly eventId: string; readonly name: string }): Promise<string>
  addTest(of: { readonly eventId: string }): Promise<string>
}

/** The questions, a method for each; `eventId` names a recorded event. A method rejects with a Fault. */
export type EditorService = EditorChanges & {
  home(of: Record<never, never>): Promise<Home>
  open(of: NamedRoute): Promise<OpenedRoute>
  /** Opens the route again that the editor has open, because its file was changed. */
  reopen(of: NamedRoute): Promise<OpenedRoute>
  create(of: NewRoute): Promise<OpenedRoute>
  preview(of: PreviewRequest): Promise<Preview>
  /**
   * Returns the text of the route for a person to edit, with stars for secrets. A changed text becomes a step of the draft (`rewritten` in
   * draft/route-draft.ts).
   */
  text(of: { readonly draft: RouteDraft }): Promise<string>
  /** Returns a route's text after a step, such as the fix of a finding. Stars stay. */
  textAfter(of: { readonly text: string; readonly step: DraftStep }): Promise<string>
  /** Returns a step of a draft with stars for the secrets in it, for whoever may not see them. */
  masked(of: { readonly draft: RouteDraft; readonly step: DraftStep }): Promise<DraftStep>
  /** Returns the line on which a path of the route begins in the opened text. Lines count from 1. */
  line(of: { readonly opened: OpenedRoute; readonly path: Path }): Promise<number>
  /** Lists the payloads to try a route with; without a route, all. The first row that fits is the best to begin with. */
  payloads(of: { readonly route?: string }): Promise<readonly PayloadRow[]>
  payload(of: { readonly choice: PayloadChoice; readonly route: string }): Promise<Payload>
  /** Reads a payload only to show it. Unlike with `payload`, the route is not tried with it afterwards. */
  recorded(of: { readonly choice: PayloadChoice; readonly route: string }): Promise<Payload>
  names(of: NamesRequest): Promise<readonly OfferedName[]>
  allNames(of: { readonly draft: RouteDraft }): Promise<OfferedNames>
  /** Lists the targets, and whether they are connected in a profile. */
  targets(of: { readonly profile?: string }): Promise<readonly TargetRow[]>
  plan(of: PlanRequest): Promise<SavePlan>
  /** Posts a signed test request for a saved route to the running gateway. */
  test(of: { readonly name: string; readonly payload?: PayloadChoice }): Promise<Tested>
  /** Sends a short text to a target of the route, with the target's settings filled in from the payload. */
  testTarget(of: { readonly draft: RouteDraft; readonly target: string; readonly payload?: PayloadChoice }): Promise<Tested>
  /** Traces a payload through a route as it is saved. */
  traceOf(of: { readonly route: string; readonly choice: PayloadChoice }): Promise<TraceShown>
  curl(of: { readonly eventId: string }): Promise<string>
  /** Lists the kept drafts of one route, or of all routes, the latest first. */
  drafts(of: { readonly route?: string }): Promise<readonly KeptDraft[]>
  /** Stores a draft, and returns a phrase that says where. */
  keepDraft(of: { readonly draft: RouteDraft }): Promise<string>
  dropDraft(of: Required<NamedRoute>): Promise<void>
}
