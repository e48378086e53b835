/** A route, compiled: gates in the order of the specification, then one ending. */

import type { Knock, Opened, Vouched, Voucher } from './exchange.ts'
import type { Ignored, Outcome, Refused } from './outcome.ts'

type MaybePromise<T> = T | Promise<T>

/** A named step, so that logs and traces can say where a request ended. */
export type Step<Run> = { readonly stage: string; readonly run: Run }

/** Looks at headers before the body is read. */
export type KnockGate = (knock: Knock) => Refused | undefined
/** Decides over the raw bytes: who vouches for them? */
export type Unseal = (body: Buffer) => Voucher | Refused
/** Looks at the headers for a signature: refuses what cannot hold, else says what must hold of the bytes. */
export type SealGate = (knock: Knock) => Unseal | Refused
/** Reads the verified bytes. */
export type OpenGate = (vouched: Vouched) => Opened | Refused
/** Lets an event on (the same one, or one with another payload) or ends it. Never waits for what is already there. */
export type PassGate = (opened: Opened) => MaybePromise<Opened | Ignored | Refused>
/** The only thing that makes work. */
export type Ending = (opened: Opened) => MaybePromise<Outcome>

export type RoutePlan = {
  readonly name: string
  readonly profile: string
  readonly knock: readonly Step<KnockGate>[]
  readonly seal: Step<SealGate>
  readonly open: Step<OpenGate>
  readonly pass: readonly Step<PassGate>[]
  readonly ending: Step<Ending>
}
