/** The effects port: everything that gates and endings may do to the world. */

import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Owners } from '../core/owner.ts'
import type { ShortTurns } from '../core/turns/short-turns.ts'
import type { CompiledCondition } from '../expr/condition.ts'
import type { Filled } from '../expr/template.ts'
import type { ScriptJob, ScriptResult } from '../process/script.ts'
import type { Destination, Store } from '../store/ports.ts'
import type { OwnComments } from './own-comment.ts'
import type { SenderKeys } from './sender-keys.ts'
import type { Outgoing, Sent } from './targets/target.ts'

/** Counts the requests of routes and the failed signatures of clients, by the minute. */
export interface Limiter {
  /** Returns the seconds until the route's window opens again; 0 while it is open. */
  wait(route: string): number
  /** Counts a verified request. `false`: the window is full. A promise where several gateways share the window. */
  charge(route: string): boolean | Promise<boolean>
  /** Counts a failed signature. `false`: this client's window is full. */
  chargeFailure(route: string, client: string): boolean
  /**
   * Counts a request that came past the full window, and whose signature is checked after its answer. `false`: the checks of this minute
   * are used up.
   */
  chargeLateCheck(route: string, client: () => string): boolean
  /** Whether a signature of this client failed in the present window. */
  hasFailed(route: string, client: () => string): boolean
}

/** A scheduled job, with what a start of it needs. */
export type Job = {
  /** Unique in its profile. */
  readonly id: string
  readonly name: string
  readonly profile: string
  readonly state: 'active' | 'paused' | 'disabled'
  readonly prompt: string
  /** The targets of its output, whoever started it. */
  readonly delivery: Destination
}

export interface Jobs {
  /** Returns the present jobs of a profile that a reference names: the job with this id, else all jobs with this name. */
  find(profile: string, reference: string): readonly Job[]
  /** Whether the reference names a configured job that was refused for its mistakes. The mistakes are reported once, for the job. */
  isRefused(profile: string, reference: string): boolean
}

/** Observes how an event fares with a plan: for traces. */
export interface PlanObserver {
  /** Called for each condition of the route's filters, when it is compiled. */
  readonly condition: (condition: CompiledCondition) => void
  /** Called for each placeholder that is filled in. `where`: the key of the route, such as `prompt`. */
  readonly filled: (where: string, filled: Filled) => void
}

/** The effects of gates and endings. `validate` and `trace` pass dry effects. */
export interface Effects {
  readonly clock: Clock
  readonly store: Store
  readonly limiter: Limiter
  readonly turns: ShortTurns
  readonly jobs: Jobs
  /** Runs a script below `folder`. Resolves to `undefined` when too many scripts wait already. Never rejects. */
  script(folder: string, job: ScriptJob): Promise<ScriptResult | undefined>
  /** Sends a text now. Never rejects. */
  send(outgoing: Outgoing): Promise<Sent>
  readonly ownComments: Pick<OwnComments, 'isAboutOwnComment'>
  /** Downloads a small public file of a sender: the bytes of the answer, up to a limit. Rejects with an Error that says why it failed. */
  download(url: string, maxBytes: number): Promise<Buffer>
  readonly keys: SenderKeys
  /** Tells the worker that new work was committed. */
  wake(): void
  /** Whether the queue has room. */
  hasRoom(): boolean
  readonly log: Log
  /** Close what plans have open. */
  readonly owners: Owners
  /** Absent in a gateway that serves. */
  readonly onlooker?: PlanObserver
}
