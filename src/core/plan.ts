/** A route, compiled: gates in their order (rules: Order 1), then one ending. */

import type { Ignored, Outcome, Refused } from './outcome.ts'
import type { Held } from './owner.ts'
import type { Event, RequestHead, Verification, VerifiedRequest } from './request.ts'

type MaybePromise<T> = T | Promise<T>

/** A named step, so that logs and traces can say where a request ended. */
export type Step<Run> = { readonly stage: string; readonly run: Run }

/** Looks at headers before the body is read. */
export type HeadGate = (head: RequestHead) => Refused | undefined
/** Decides over the raw bytes: which signature holds for them? */
export type VerifyBody = (body: Buffer) => Verification | Refused
/** Looks at the headers for a signature: refuses what cannot hold, else says what must hold of the bytes. */
export type Authenticate = (head: RequestHead) => VerifyBody | Refused
/** Reads the verified bytes. */
export type Parse = (request: VerifiedRequest) => Event | Refused
/** Lets an event on (the same one, or one with another payload) or ends it. Never waits for what is already there. */
export type EventGate = (event: Event) => MaybePromise<Event | Ignored | Refused>
/** The only thing that makes work. */
export type Ending = (event: Event) => MaybePromise<Outcome>

export type RoutePlan = {
  readonly name: string
  readonly profile: string
  readonly onHead: readonly Step<HeadGate>[]
  readonly authenticate: Step<Authenticate>
  readonly parse: Step<Parse>
  readonly onEvent: readonly Step<EventGate>[]
  readonly ending: Step<Ending>
  /** Held by each request that runs through the plan: what the plan has open is not closed meanwhile. */
  readonly owner: Held
}
