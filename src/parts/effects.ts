/** The effects port: all that gates and endings may do to the world. */

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

/** A route's requests per minute and its failed signatures per client. */
export interface Limiter {
  /** Seconds until the route's window opens again; 0 while it is open. */
  wait(route: string): number
  /** Counts one verified request; `false` when the window is full. */
  charge(route: string): boolean
  /** Counts one failed signature; `false` when this client's window is full. */
  chargeFailure(route: string, client: string): boolean
  /** Counts a request that came past the full window and whose signature is checked after its answer; `false` when this minute's checks are used up. */
  looksLater(route: string, client: () => string): boolean
  /** Whether a signature of this client failed in its present window. */
  hasFailed(route: string, client: () => string): boolean
}

/** A scheduled job, as far as starting it needs. */
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
  /** The present jobs of a profile that a reference names: the one with this id, else all with this name. */
  find(profile: string, reference: string): readonly Job[]
  /** Whether a reference without a job names one that is written but has mistakes. Those are reported once, for the job. */
  isRefused(profile: string, reference: string): boolean
}

/** Hears of what a plan is made of and how an event fares with it: for traces. */
export interface PlanObserver {
  /** A condition of the route's filters was compiled. */
  readonly condition: (condition: CompiledCondition) => void
  /** A placeholder of a text was filled in; `where`: the key of the route, as `prompt`. */
  readonly filled: (where: string, filled: Filled) => void
}

/** What gates and endings may do to the world; `validate` and `trace` pass a dry one. */
export interface Effects {
  readonly clock: Clock
  readonly store: Store
  readonly limiter: Limiter
  readonly turns: ShortTurns
  readonly jobs: Jobs
  /** Runs a script below `folder`; `undefined` when too many wait already; never rejects. */
  script(folder: string, job: ScriptJob): Promise<ScriptResult | undefined>
  /** Sends now; never rejects. */
  send(outgoing: Outgoing): Promise<Sent>
  readonly ownComments: Pick<OwnComments, 'areToldIn'>
  /** Gets a small public file of a sender: the answer's bytes, up to a limit. Rejects with an Error that says why not. */
  download(url: string, maxBytes: number): Promise<Buffer>
  readonly keys: SenderKeys
  /** New work was committed. */
  wake(): void
  /** Whether the queue has room. */
  hasRoom(): boolean
  readonly log: Log
  /** Where what plans have open is closed. */
  readonly owners: Owners
  /** Absent in a gateway that serves. */
  readonly onlooker?: PlanObserver
}
