/** The plan of a route, which is a compiled route: gates in their order (rules: Order 1), then one ending. */

import type { NewRun } from './new-run.ts'
import type { AwaitedAnswer, Ignored, Outcome, Refused, Reply } from './outcome.ts'
import type { Event, EventFacts, RequestBody, RequestHead, Verification, VerifiedRequest } from './request.ts'
import type { HeldScope } from './scope.ts'

export type MaybePromise<T> = T | Promise<T>

/** A step, with the name of its stage, which logs and traces show. */
export type PlanStep<Run> = { readonly stage: string; readonly run: Run }

/** Checks headers before the body is read. */
export type HeadGate = (head: RequestHead) => Refused | undefined
/** Checks the signature over the raw bytes, and returns the scheme and the secret for which the signature holds. */
export type VerifyBody = (body: RequestBody) => MaybePromise<Verification | Refused>
/** Looks for a signature in the headers. Refuses headers that no body could make valid, else returns the check of the body. */
export type Authenticate = (head: RequestHead) => VerifyBody | Refused
/** Masks the secrets in the content of a verified request. Masking a masked request again changes nothing. */
export type MaskRequest = (request: VerifiedRequest) => VerifiedRequest
/** Replaces the fields that a route redacts. `event`: in a parsed event. `request`: in the request as records keep it. */
export type Redaction = { readonly event: (event: Event) => Event; readonly request: (request: VerifiedRequest) => VerifiedRequest }
/** Parses the verified bytes. */
export type Parse = (request: VerifiedRequest) => Event | Refused
/** Lets an event on (unchanged, or with another payload) or ends it, maybe with a commit of its own. Returns a promise only where it must wait. */
export type EventGate = (event: Event) => MaybePromise<Event | Outcome>
/** The part of a plan that an event runs through. */
export type EventPlan = Pick<RoutePlan, 'onEvent' | 'ending' | 'respond'>
/** An event, and the plan that it runs through: that of its route. */
export type PlannedEvent = { readonly event: Event; readonly plan: EventPlan }
/**
 * Chooses the routes of an event, and returns the event of each, in order. `Ignored`: no row of `dispatch` holds. `Refused`: a route cannot
 * take the event now.
 */
export type Dispatch = (event: Event, request: VerifiedRequest) => MaybePromise<readonly PlannedEvent[] | Ignored | Refused>
/** Makes several events of a request, and has the work of all of them committed at once. */
export type Split = {
  /**
   * Returns the events of the items, in order; `undefined` for a request that has no list where the items should be, and is one event.
   * `event`: the whole request as an event.
   */
  readonly items: (event: Event, request: VerifiedRequest) => readonly Event[] | Refused | undefined
  /** Takes each event to other routes, after the gates of this one. Absent on a route without `dispatch`. */
  readonly dispatch?: Dispatch
  /**
   * Runs items in turn, and commits their work. Resolves to their outcomes, in order; or to the refusal of the whole request, of which no
   * item was taken.
   */
  readonly run: (
    items: readonly Event[],
    runItem: (item: Event, index: number) => MaybePromise<Outcome>,
  ) => Promise<readonly Outcome[] | Refused>
}
/** The last step of a plan, and the only one that makes work. */
export type Ending = (event: Event) => MaybePromise<Outcome>

/** The outcome of a request that is a handshake; `undefined` for any other request. */
export type HandshakeOutcome = Extract<Outcome, { readonly kind: 'handshake' }> | Refused | undefined

/** Answers the questions that senders ask before they send events. */
export type Handshakes = {
  /** The methods other than POST that a question may come with. */
  readonly methods: ReadonlySet<string>
  /** Answers a question that is not signed, by its head alone. */
  readonly onHead: (head: RequestHead) => HandshakeOutcome
  /** Answers a question whose head has a credential. Absent where no sender of the route asks in this way. */
  readonly onCredential?: (head: RequestHead) => MaybePromise<HandshakeOutcome>
  /**
   * Returns the function that answers an unsigned question in the body; `undefined` for a body that is not short. Absent where no sender of
   * the route asks in this way.
   */
  readonly onUnsigned?: (head: RequestHead) => ((body: RequestBody) => HandshakeOutcome) | undefined
  readonly onVerified: (head: RequestHead, body: RequestBody, verification: Verification) => MaybePromise<HandshakeOutcome>
}

/**
 * Claims the delivery id of an ignored event, so that a repeat is a duplicate. Returns `undefined` at once where the scheme wants no such
 * claims. Resolves to a refusal when the store failed.
 */
export type ClaimIgnored = (event: EventFacts, scheme: string) => Promise<Refused | undefined> | undefined

/** Shapes the answer to an event that was not refused. Returns `undefined` where the usual answer is given. */
export type Respond = (event: Event, outcome: Outcome) => Reply | undefined

/** Begins to wait for the reply of an event's run, before the run is committed: the reply may come before the commit is known here. */
export type AwaitReply = (event: Event) => AwaitedAnswer

/**
 * Inflates the body of a request that came compressed. Resolves to the bytes, or to the refusal of a body that cannot be inflated, that
 * gets too large, or for which there is no room now. Never rejects.
 */
type InflateBody = (head: Pick<RequestHead, 'headers' | 'remote'>, body: Buffer) => Promise<Buffer | Refused>

/**
 * Whether the reply of a run may be delivered now. `again`: it is not known now. `why`: a sentence for the end of the attempt.
 * `retryAfterMs`: the wait that a server asked for, in milliseconds.
 */
export type DeliveryVerdict =
  | { readonly kind: 'deliver' }
  | { readonly kind: 'stale'; readonly why: string }
  | { readonly kind: 'again'; readonly why: string; readonly retryAfterMs?: number | undefined }

/** Judges `deliver_if` of a route once more. Never rejects. */
export type MayDeliver = (run: NewRun) => Promise<DeliveryVerdict>

export type RoutePlan = {
  readonly name: string
  readonly profile: string
  /** The methods that the address takes. Absent where it takes POST alone. */
  readonly methods?: ReadonlySet<string>
  readonly onHead: readonly PlanStep<HeadGate>[]
  readonly authenticate: PlanStep<Authenticate>
  /** Called only for a body that came compressed. */
  readonly inflate: InflateBody
  /** Absent where no scheme of the route has handshakes. */
  readonly handshakes?: Handshakes
  /**
   * Runs before parser, event gates and records get a verified request. Only handshakes get the unmasked body. Absent where no scheme of
   * the route finds secrets in the content.
   */
  readonly mask?: MaskRequest
  /** Absent where the route redacts nothing. */
  readonly redact?: Redaction
  readonly parse: PlanStep<Parse>
  /** Absent where each request is one event. */
  readonly split?: Split
  readonly onEvent: readonly PlanStep<EventGate>[]
  readonly ending: PlanStep<Ending>
  /** Absent where the route delivers each reply. */
  readonly mayDeliver?: MayDeliver
  /** Absent where no scheme of the route claims ignored events. */
  readonly claimIgnored?: ClaimIgnored
  /** Absent where the route does not shape its answers. */
  readonly respond?: Respond
  /** Absent where the answer does not wait for the reply of the run. */
  readonly awaitReply?: AwaitReply
  /** Held by each request that runs through the plan, so that nothing of the plan is closed meanwhile. */
  readonly scope: HeldScope
}
