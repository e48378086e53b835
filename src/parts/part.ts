/** What a part is: one object with a name, a `compile`, and what it may ask of the world (its kit). */

import type { Clock } from '../core/clock.ts'
import type { Code, Path } from '../core/diagnostic.ts'
import type { Opened, Sealed, Voucher } from '../core/exchange.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import type { Ending, KnockGate, OpenGate, PassGate, SealGate } from '../core/plan.ts'
import type { Route } from '../generated/config.ts'
import type { Delivery, Destination, NewRun, Store } from '../store/ports.ts'

/** Collects a problem at a path inside the spec that is being compiled. */
export type Report = (code: Code, path: Path, message: string, help?: string) => void

/** Says that what is compiled depends on more than the configuration (a file, a job): it is looked at anew at each reload. */
export type LooksOutside = () => void

/** A route's requests per minute and its failed signatures per client. */
export interface Limiter {
  /** Seconds until the route's window opens again; 0 while it is open. */
  wait(route: string): number
  /** Counts one vouched request; `false` when the window is full. */
  charge(route: string): boolean
  /** Counts one failed signature; `false` when this client's window is full. */
  chargeFailure(route: string, client: string): boolean
}

export type ScriptJob = {
  readonly path: string
  readonly input: string
  readonly timeoutMs: number
  readonly env: { readonly [name: string]: string }
}

export type ScriptResult = { readonly ok: true; readonly output: string } | { readonly ok: false; readonly why: string }

export type Sent =
  | { readonly ok: true; readonly detail?: string }
  | {
      readonly ok: false
      readonly why: string
      /** Nothing can have been posted, or posting again cannot post twice. */
      readonly repeatable: boolean
      readonly retryAfterMs?: number
    }

/** A text on its way out, with who it belongs to. */
export type Outgoing = {
  readonly text: string
  readonly profile: string
  readonly route: string
  readonly deliveryId: string
  /** The scheduled job that says this, by id. */
  readonly job?: string
  readonly delivery: Delivery
  /** Which of several targets of its route this is; 0 for the first or only one. */
  readonly place: number
  readonly budgetMs: number
  /** An earlier try was broken off: it may have arrived. */
  readonly doubtful?: true
  /** Told before a text is posted that could not be recognised if it came again, and why. Throws where it is too late to post it. */
  readonly onlyOnce?: (why: string) => void
}

/** A scheduled job as those see it who start it. */
export type Job = {
  /** Unique in its profile. */
  readonly id: string
  readonly name: string
  readonly profile: string
  readonly state: 'active' | 'paused' | 'disabled'
  readonly prompt: string
  /** Where its output goes, whoever started it. */
  readonly delivery: Destination
}

export interface Jobs {
  /** The jobs of a profile that a reference names as things are now: the one of this id, else all of this name. */
  find(profile: string, reference: string): readonly Job[]
  /** Whether a reference that finds none names a job that is there, but refused: what is wrong is said of the job, once. */
  isRefused(profile: string, reference: string): boolean
}

/** What gates and endings may do to the world; `validate` and `trace` pass a dry one. */
export interface Effects {
  readonly clock: Clock
  readonly store: Store
  readonly limiter: Limiter
  readonly jobs: Jobs
  /** Runs a script below `folder`; `undefined` when too many wait already; never rejects. */
  script(folder: string, job: ScriptJob): Promise<ScriptResult | undefined>
  /** Sends now; never rejects. */
  send(outgoing: Outgoing): Promise<Sent>
  /** New work was committed. */
  wake(): void
  /** Whether the queue has room. */
  hasRoom(): boolean
  readonly log: Log
}

/** Settings of the adapter that stages read. */
export type Limits = {
  readonly maxBodyBytes: number
  readonly scriptTimeoutMs: number
}

export type StageKit = {
  readonly name: string
  readonly profile: string
  readonly profileDir: string
  /** The route's secrets, resolved; empty only when a Diagnostic was reported. */
  readonly secrets: readonly string[]
  readonly limits: Limits
  readonly effects: Effects
  readonly report: Report
  readonly looksOutside: LooksOutside
  readonly schemes: readonly Scheme[]
  readonly operators: ReadonlyMap<string, OperatorPart>
  readonly targets: ReadonlyMap<string, TargetPart>
}

/** The gates a stage leaves in a route's plan; none when the route does not use it. */
export type Gates = {
  readonly knock?: KnockGate
  readonly seal?: SealGate
  readonly open?: OpenGate
  readonly pass?: PassGate
}

export type StagePart = {
  readonly name: string
  /** Pushes nothing when the route does not use it: a stage without keys leaves no gate behind. */
  compile(route: Route, kit: StageKit): Gates
}

export type EndingPart = {
  readonly name: string
  /** Whether this ending is the route's. */
  fits(route: Route): boolean
  compile(route: Route, kit: StageKit): Ending
}

/** Decides over a field's value; `undefined` is a missing field. */
export type Test = (value: Json | undefined, opened: Opened) => boolean | Promise<boolean>

export type OperatorKit = { readonly profileDir: string; readonly report: Report; readonly looksOutside: LooksOutside }

export type OperatorPart = {
  readonly name: string
  /** Stands alone, without `field`. */
  readonly fieldless?: true
  compile(operand: Json, kit: OperatorKit): Test
  readonly examples: readonly { readonly operand: Json; readonly value?: Json; readonly holds: boolean }[]
}

/** A signature scheme as data; `stages/signature.ts` serves them all. */
export type Scheme = {
  readonly name: string
  /** Whether these headers commit a request to this scheme. */
  readonly shows: (headers: Sealed['headers']) => boolean
  /** Reads the headers alone: what must hold of the body, or `undefined` when nothing can. */
  readonly read: (headers: Sealed['headers'], at: number) => Evidence | undefined
  /** The key's bytes; `undefined` when the secret cannot serve this scheme. */
  readonly key: (secret: string) => Buffer | undefined
  readonly signedId?: (headers: Sealed['headers']) => string | undefined
  readonly freshness?: Voucher['freshness']
  /** Said once per route when a request uses it. */
  readonly deprecated?: string
}

export type Evidence =
  | { readonly kind: 'token'; readonly token: Buffer }
  /** `prefix` and the body, HMAC-SHA256; any of `digests` may match. */
  | { readonly kind: 'hmac'; readonly prefix: string; readonly digests: readonly Buffer[] }

export type Runner = (
  prompt: string,
  job: { readonly run: NewRun; readonly model?: string; readonly maxOutputTokens?: number; readonly signal: AbortSignal },
) => Promise<string>

export type RunnerPart = {
  readonly name: string
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

/** One setting of a target: its key under `platforms.<name>`, and the conventional names it has in the environment, which win. */
export type Setting = {
  readonly key: string
  readonly env: readonly string[]
  readonly secret?: true
  readonly default?: string
}

/** What a target may use: its platform's settings in this profile, the environment for its child processes, the log. */
export type TargetKit = {
  /** As written, and over them those of the environment that the target names. */
  readonly settings: JsonObject
  readonly env: { readonly [name: string]: string | undefined }
  readonly log: (outgoing: Outgoing) => void
  readonly clock: Clock
}

export type TargetPart = {
  readonly name: string
  /** Its section under `platforms`; absent: its name without `_comment`. */
  readonly platform?: string
  readonly settings?: readonly Setting[]
  /** The command that it runs, from a folder of the PATH. */
  readonly program?: string
  /** Which settings make it connected: all of any of these lists. Absent: it needs none. */
  readonly needs?: readonly (readonly string[])[]
  /** Checks a route's `deliver_extra` as written, templates not yet filled in. */
  check?(extra: JsonObject, report: Report): void
  /** Sending the same text twice cannot post twice: what a crash broke off may be sent again. */
  readonly repeatable: boolean
  /** Keys of `deliver_extra` that may name several with commas between them, as the route says it: a payload adds none. */
  readonly lists?: readonly string[]
  /** Keys of `deliver_extra` that are web addresses: what a payload fills in is percent-encoded. */
  readonly addresses?: readonly string[]
  /** Keys of `deliver_extra` that hold secrets, or maps of them: never stored (but what a payload fills in), read from the route again when sending. */
  readonly withheld?: readonly string[]
  /** Sends one text; a rejection counts as a failure that must not be repeated. */
  send(outgoing: Outgoing, kit: TargetKit): Promise<Sent>
}
