/** A route, compiled: gates in their order (rules: Order 1), then one ending. */

import type { Ignored, Outcome, Refused, Reply } from './outcome.ts'
import type { Held } from './owner.ts'
import type { Event, EventFacts, RequestBody, RequestHead, Verification, VerifiedRequest } from './request.ts'

type MaybePromise<T> = T | Promise<T>

/** A named step, so that logs and traces can say where a request ended. */
export type Step<Run> = { readonly stage: string; readonly run: Run }

/** Looks at headers before the body is read. */
export type HeadGate = (head: RequestHead) => Refused | undefined
/** Decides over the raw bytes: which signature holds for them? */
export type VerifyBody = (body: RequestBody) => MaybePromise<Verification | Refused>
/** Looks at the headers for a signature: refuses what cannot hold, else says what must hold of the bytes. */
export type Authenticate = (head: RequestHead) => VerifyBody | Refused
/** Masks what a verified request has of a secret itself. What is masked already stays as it is. */
export type MaskRequest = (request: VerifiedRequest) => VerifiedRequest
/** Reads the verified bytes. */
export type Parse = (request: VerifiedRequest) => Event | Refused
/** Lets an event on (the same one, or one with another payload) or ends it. Never waits for what is already there. */
export type EventGate = (event: Event) => MaybePromise<Event | Ignored | Refused>
/** The only thing that makes work. */
export type Ending = (event: Event) => MaybePromise<Outcome>

/** The end of a request that is a handshake; `undefined` for any other request. */
export type HandshakeOutcome = Extract<Outcome, { readonly kind: 'handshake' }> | Refused | undefined

/** Answers what senders ask before they send events. */
export type Handshakes = {
  /** Those other than POST that a question may come with. */
  readonly methods: ReadonlySet<string>
  /** A question that nobody signs. */
  readonly onHead: (head: RequestHead) => HandshakeOutcome
  /** What looks for a question in a short body that nobody signs; absent where the route's senders have none of the kind. */
  readonly onUnsigned?: (head: RequestHead) => ((body: RequestBody) => HandshakeOutcome) | undefined
  /** A question whose signature holds. */
  readonly onVerified: (head: RequestHead, body: RequestBody, verification: Verification) => MaybePromise<HandshakeOutcome>
}

/** Claims the id of an event that was ignored, where its scheme wants that; the refusal says that it could not. */
export type ClaimIgnored = (event: EventFacts, scheme: string) => Promise<Refused | undefined> | undefined

/** Shapes the answer to an event that was not refused. */
export type Respond = (event: Event) => Reply

export type RoutePlan = {
  readonly name: string
  readonly profile: string
  readonly onHead: readonly Step<HeadGate>[]
  readonly authenticate: Step<Authenticate>
  /** Absent where no scheme of the route has any. */
  readonly handshakes?: Handshakes
  /** Runs before anything else sees a verified request. Absent where no scheme of the route looks for a secret itself. */
  readonly mask?: MaskRequest
  readonly parse: Step<Parse>
  readonly onEvent: readonly Step<EventGate>[]
  readonly ending: Step<Ending>
  /** Absent where no scheme of the route wants it. */
  readonly claimIgnored?: ClaimIgnored
  /** Absent where the route leaves the answers as they are. */
  readonly respond?: Respond
  /** Held by each request that runs through the plan: what the plan has open is not closed meanwhile. */
  readonly owner: Held
}
