/** The effects port: what stages and endings may do besides changing their event, such as store a run or send a text. */

import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Destination } from '../core/new-run.ts'
import type { Event } from '../core/request.ts'
import type { EventTraces } from '../core/telemetry/trace-context.ts'
import type { ShortTurns } from '../core/turns/short-turns.ts'
import type { CompiledCondition } from '../expr/condition.ts'
import type { ListSpec, OpenedList } from '../expr/named-lists.ts'
import type { Filled } from '../expr/template.ts'
import type { ScriptJob, ScriptResult } from '../process/script.ts'
import type { Store } from '../store/ports.ts'
import type { Inflate } from './body/inflate.ts'
import type { AskLookup } from './lookups/lookup.ts'
import type { OwnComments } from './own-comment.ts'
import type { PartScopes } from './part-scopes.ts'
import type { SenderKeys } from './sender-keys.ts'
import type { Outgoing, Sent } from './targets/target.ts'

/**
 * Counts in windows of one minute: for each route the verified requests and the late checks, and for each route and client the failed
 * signatures.
 */
export interface Limiter {
  /** Returns the seconds until a new window of the route begins; 0 while the present window is not full. */
  wait(route: string): number
  /**
   * Counts a verified request in its route's window. `false`: the window is full. Returns a promise where several gateways share the
   * window.
   */
  charge(route: string): boolean | Promise<boolean>
  /** Counts a failed signature in the window of the route and the client. `false`: this window is full. */
  chargeFailure(route: string, client: string): boolean
  /**
   * Counts a request that is refused because its route's window is full. `true`: its signature may be checked after the answer, for the
   * record of the refusal. `false`: the route has used up such checks for this minute, or a signature of this client has failed in it.
   */
  chargeLateCheck(route: string, client: () => string): boolean
  /** Whether a signature of this client has failed on the route in the present minute. */
  hasFailed(route: string, client: () => string): boolean
}

/** Counts the events of routes by key, in windows of one minute, for `rate_limit` of a route. */
export interface EventRates {
  /**
   * Counts one under the key, whose window takes `limit`. Returns 0, or the time until the next window in milliseconds, where the window is
   * full and nothing was counted. Returns a promise where several gateways share the window and the store must be asked.
   */
  charge(key: string, limit: number): number | Promise<number>
}

/** A scheduled job, with the fields that a run of it needs. */
export type Job = {
  /** Unique in the profile. */
  readonly id: string
  readonly name: string
  readonly profile: string
  readonly state: 'active' | 'paused' | 'disabled'
  readonly prompt: string
  /** The targets of the job's reply, whoever starts the job. */
  readonly delivery: Destination
}

/** Finds the scheduled jobs that a route may start. */
export interface Jobs {
  /**
   * Returns the present jobs of a profile that a reference names: the job with this id, else the configured jobs with this name, else all
   * jobs with this name.
   */
  find(profile: string, reference: string): readonly Job[]
  /**
   * Whether the reference names only jobs that were refused because of mistakes in them. A route that starts such a job does not report
   * these mistakes again.
   */
  isRefused(profile: string, reference: string): boolean
}

/** Observes how a plan handles an event, for commands that run an event through a plan, such as `webhook trace`. */
export interface PlanObserver {
  /** Called for each condition, and each group of conditions, of the route's filters when it is compiled. `stage`: the stage that judges it. */
  readonly condition: (condition: CompiledCondition, stage: string) => void
  /** Called with the event that has the answers to its lookups, before the filters judge it that read them. */
  readonly lookedUp: (event: Event) => void
  /** Called for each placeholder that is filled in. `where`: the key of the route, such as `prompt`. */
  readonly filled: (where: string, filled: Filled) => void
  /** Called with the targets of each message, with all templates filled in. */
  readonly addressed: (delivery: Destination) => void
  /** Called for something that an event meets and that neither ends nor changes it. `text`: a sentence without values of the payload. */
  readonly noted: (text: string) => void
}

/** A wait for the reply of a run. Exactly one of the methods is called, once. */
export type AwaitedReply = {
  /**
   * Calls `tell` once, maybe at once: with the reply, which is empty where the agent asked that nothing be sent; or with `undefined` as
   * soon as it is known that none comes in time.
   */
  readonly whenKnown: (tell: (reply: string | undefined) => void) => void
  readonly leave: () => void
}

/** Waits for the replies of runs, for senders that take the reply as the answer. */
export interface Replies {
  /**
   * Begins to wait for the reply of an event's run, for at most `waitMs`. `most`: how many requests of this route may wait. `undefined`: no
   * further request may wait.
   */
  begin(wait: {
    readonly eventId: string
    readonly route: string
    readonly waitMs: number
    readonly most: number
  }): AwaitedReply | undefined
  /** Makes the token that lets its holder ask for the state of an event's run, for `forMs` from now. */
  token(eventId: string, forMs: number): string
}

/** Fields of `redact` of a route, or of the adapter, and the fields that an event does not have. */
export type JudgedRedaction = { readonly fields: readonly string[]; readonly absent: readonly string[] }

/**
 * The effects that stages and endings get. A command that only checks or tries a route passes effects that change nothing, except that a
 * command which runs an event through a plan may run the route's script.
 */
export interface Effects {
  readonly clock: Clock
  readonly store: Store
  readonly limiter: Limiter
  /** Makes the counts of one route: so no sender of many keys uses up the counts of another route. */
  readonly rates: (route: string) => EventRates
  /** Spreads costly checks of signatures over turns of the event loop. */
  readonly turns: ShortTurns
  /** Inflates compressed bodies, a few at once. */
  readonly inflate: Inflate
  readonly jobs: Jobs
  /** Runs a script below `folder`. Resolves to `undefined` when too many scripts already wait for their start. Never rejects. */
  script(folder: string, job: ScriptJob): Promise<ScriptResult | undefined>
  readonly lookup: AskLookup
  /** Opens a list for a condition. `dataDir`: the folder whose lists `headgate lists` keeps. Never throws. */
  openList(spec: ListSpec, dataDir: string): OpenedList
  /** Sends a text of a direct delivery now. Never rejects. */
  send(outgoing: Outgoing): Promise<Sent>
  /**
   * Reports that the payload of an event does not fit the schema of its route. `why` names keys of the payload, and no values. Absent where
   * nobody receives it.
   */
  readonly mismatched?: ((event: Event, action: 'ignore' | 'refuse' | 'warn', why: string) => void) | undefined
  /**
   * Reports that fields which a route redacts are not in an event, so that nothing was hidden there. `first`: those of them that this plan
   * missed for the first time. Absent where nobody receives it.
   */
  readonly redactionMissed?: ((event: Event, fields: readonly string[], first: readonly string[]) => void) | undefined
  /** Counts the fields of `redact` that were searched for in an event. Absent where nobody receives the counts. */
  readonly redactionJudged?: ((event: Event, own: JudgedRedaction, shared: JudgedRedaction) => void) | undefined
  readonly ownComments: Pick<OwnComments, 'isAboutOwnComment'>
  /**
   * Downloads a small public file of a sender, such as a key or the page that confirms a subscription. Resolves to its bytes. Rejects with
   * an Error that says why the download failed, also for a file of more than `maxBytes`.
   */
  download(url: string, maxBytes: number): Promise<Buffer>
  readonly keys: SenderKeys
  /**
   * Returns why a secret among these, named as `PROVIDER/ID`, is too old to verify requests; `undefined` where none is. Absent where
   * nothing keeps secrets of programs.
   */
  readonly tooOld?: ((provided: readonly string[]) => string | undefined) | undefined
  /** Hands the replies of runs to the senders that wait for them. Absent where no request is answered, as in dry runs. */
  readonly replies?: Replies | undefined
  /** Says which routes take no events for now. Absent in dry runs. */
  readonly pauses?: { refuses(route: string): boolean } | undefined
  /** Wakes the worker, because new work was committed. `ended`: the events whose runs the commit has ended, and whose agents are stopped. */
  wake(ended?: readonly string[]): void
  /** Whether the queue of accepted runs can take so many more runs; without a number, one. */
  hasRoom(more?: number): boolean
  readonly log: Log
  /** Absent while traces are off. */
  readonly traces?: EventTraces | undefined
  /** The scopes of the watchers and connections that plans have open. */
  readonly scopes: PartScopes
  /** Present only where a command, such as `webhook trace`, runs an event through a plan. */
  readonly onlooker?: PlanObserver
}
