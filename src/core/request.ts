/** A request on its way in: the types before its signature holds, and after. */

import type { IncomingHttpHeaders } from 'node:http'
import type { WithText } from './exact-json.ts'
import type { Json } from './json.ts'
import type { Refused } from './outcome.ts'

export type Headers = IncomingHttpHeaders

/**
 * The content of a body. `text`: the payload as JSON, in which long numbers keep their digits. The text of a form is its field `payload`,
 * or JSON made of all fields where the form has no such field. `fields`: the fields of a form, in their order. The text of XML is JSON made
 * of its elements; that of a multipart body is that of a form made of its fields, without its files. `unread`: no event can be made of the
 * body, which is malformed, or has too many fields or values. `detail`: the reason, for operators; it quotes nothing of the body.
 */
export type BodyContent =
  | { readonly kind: 'json'; readonly text: string; readonly payload: Json }
  | { readonly kind: 'form'; readonly text: string; readonly payload: Json; readonly fields: readonly FormEntry[] }
  | { readonly kind: 'xml'; readonly text: string; readonly payload: Json }
  | { readonly kind: 'multipart'; readonly text: string; readonly payload: Json; readonly files: readonly UploadedFile[] }
  | { readonly kind: 'unread'; readonly why: 'not JSON' | 'too many'; readonly detail?: string }

export type FormEntry = readonly [name: string, value: string]

/**
 * A file in a multipart body. `field`: the name of its part. `name`: the name that the sender gives it, which may be anything. `type`: the
 * media type as the sender says. `bytes`: a view of the body.
 */
export type UploadedFile = { readonly field: string; readonly name: string; readonly type: string; readonly bytes: Buffer }

/** A body, for the check of a signature. */
export interface BodyView {
  readonly bytes: Buffer
  /** Returns the payload of the body; `undefined` where the body cannot be read. */
  payload(): Json | undefined
  /** Returns the payload with the text from which its numbers are read exactly; `undefined` where the body cannot be read. */
  source(): WithText | undefined
  /** Returns the value that `make` returned at the first call with this key. Later calls with the key do not run `make`. */
  once<T>(key: object, make: () => T): T
}

/**
 * The body of one request, read once. The check of the signature, the answer to a handshake and the making of the event must see the same
 * content, and none of them may read it again.
 */
export interface RequestBody extends BodyView {
  content(): BodyContent
  /** Reads a long body with turns for other requests, so that `content` has it; `undefined` for a body that is quick to read. */
  readInTurns(): Promise<void> | undefined
  /** Returns the content, and keeps no reference to it, so that whoever makes the event decides how long the content stays in memory. */
  take(): BodyContent
}

/** A request whose body has not been read. Nobody has verified its headers yet. */
export type RequestHead = {
  readonly method: string
  /** Returns the address as the sender sees it. Worked out only when asked for, because few schemes sign it. */
  readonly url: () => string
  /** The path and the query of the address as they came, without host. Absent for a request that was not received over HTTP. */
  readonly pathAndQuery?: string | undefined
  /** The query of the configured address, with its question mark; empty where it has none. No other query is part of a signed address. */
  readonly configuredQuery?: string
  readonly headers: Headers
  /**
   * Names and values by turns, as they came. Of some headers that stand twice, `headers` has only the first. Absent for a request that was
   * not received over HTTP.
   */
  readonly rawHeaders?: readonly string[]
  /** Returns the client's address. Worked out only when asked for, because behind a trusted proxy it costs a scan of the headers. */
  readonly remote: () => string
  /**
   * Returns the certificate that the client showed in the handshake of this connection, and that is signed as `tls.client_ca` asks.
   * `undefined` for a client without. Absent for a request that was not received over HTTP.
   */
  readonly certificate?: () => ClientCertificate | undefined
  /** Whether a proxy that is trusted by its address handed the request on. */
  readonly isProxied: () => boolean
  /** Wall time of arrival, milliseconds. */
  readonly at: number
  /** The body as it came. Present once a compressed body was inflated. */
  readonly compressed?: Buffer
  /** Present for a request that a relay kept. */
  readonly kept?: KeptRequest | undefined
}

/**
 * What makes a request that a relay kept known again, should the relay hand it over twice. `id`: the delivery id of an event whose sender
 * gives none. `claimMs`: the least time for which the id of its event is claimed, in milliseconds, longer than the relay keeps a request.
 */
type KeptRequest = { readonly id: string; readonly claimMs: number }

/**
 * A certificate of a client. `fingerprint`: its SHA-256 in 64 lower-case hexadecimal digits. `names`: its DNS names as they are, its other
 * names with their kind (`URI:…`, `email:…`), and its common name (`CN:…`).
 */
export type ClientCertificate = { readonly fingerprint: string; readonly names: readonly string[] }

/** A request that nobody vouched for. `body` is absent where the body was not read. */
export type UnverifiedRequest = RequestHead & { readonly body?: Buffer | undefined }

/** The result of the signature check: the scheme and the secret with which the signature is right, and the delivery id that it covers. */
export type Verification = {
  readonly scheme: string
  /** The index of the secret or public key among those of the route, from 0. */
  readonly secret: number
  /** The delivery id that the signature covers, where the scheme signs one. */
  readonly signedId: string | undefined
  /** The signature holds, but the route's rate limit for this minute is used up. */
  readonly limited?: Refused
}

/** Headers and raw bytes whose signature holds. From here on the request leaves a record. */
export type VerifiedRequest = Pick<RequestHead, 'pathAndQuery' | 'headers' | 'remote' | 'at' | 'kept'> & {
  readonly eventId: string
  /** Absent for a POST. */
  readonly method?: string | undefined
  readonly body: Buffer
  readonly verification: Verification
  /** The body as the signature check read it, so that it is not parsed again. Absent where no check read the body, as for a replay. */
  readonly read?: RequestBody
  /** The event was pulled from its sender's API, or repeats one that was: its own headers hold what that API answered. */
  readonly isPulled?: boolean
  /**
   * Present for a replay of a stored request. `isNew`: its events get new delivery ids. `item`: only this item of the request is replayed.
   * `to`: only the event of this route of `dispatch` is replayed, whichever row holds.
   */
  readonly replay?: { readonly isNew: boolean; readonly item?: number | undefined; readonly to?: string | undefined }
}

/**
 * What an agent asks for of each event. `payload`: the payload as the prompt sees it, as JSON with the digits of its numbers. `env`: the
 * variables whose values the event fills in, each of one line.
 */
export type GivenToAgent = { readonly payload?: string; readonly env?: { readonly [name: string]: string } }

/**
 * What is needed to judge `deliver_if` before a delivery. `asked`: the values of the questions that are asked once more, by the names of
 * their lookups. `payload`: the fields of the payload that the condition reads, as JSON.
 */
export type DeliveryFacts = {
  readonly asked: { readonly [lookup: string]: { readonly [key: string]: string } }
  readonly payload: string
}

/** The answers to the lookups of a route. `asked`: the values of the questions, by the names of the lookups; absent before they were asked. */
export type LookupAnswers = WithText & { readonly asked?: DeliveryFacts['asked'] }

/** A verified, parsed event. */
export type Event = EventFacts & {
  /** The JSON text behind `payload`. Scripts read it, and long numbers keep their digits in it. */
  readonly text: string
  readonly payload: Json
  /** Absent for a POST. */
  readonly method?: string | undefined
  /** The path and the query of the address as they came, without host. */
  readonly pathAndQuery: string
  /** The files that are kept for its run. Absent where there are none. */
  readonly files?: readonly KeptFile[]
  /** The whole request as an event, where this event is one of its items (`split`). */
  readonly batch?: Event
  /**
   * The answers to the lookups of its route, by their names: a map as JSON, which is empty before they were asked. Absent on a route without
   * `lookup`.
   */
  readonly lookup?: LookupAnswers | undefined
}

/**
 * `of`: the key of the route that asks for the claim. `last`: of the events that the claim holds back, the last becomes a run when the claim
 * ends.
 */
export type BesideClaim = {
  readonly key: string
  readonly holdMs: number
  readonly of: 'duplicates' | 'cooldown'
  readonly last?: boolean
}

/** The facts of an event without its payload: small enough to keep. */
export type EventFacts = {
  readonly eventId: string
  readonly route: string
  readonly profile: string
  readonly headers: Headers
  readonly eventType: string
  /** GitLab's short form (`merge_request`) of the event's type. `events` accepts it too. */
  readonly eventAlias: string | undefined
  readonly deliveryId: string
  /** By what the delivery id names an item of a request: values of the item, or its place. Absent for the event of a whole request. */
  readonly itemBy?: 'values' | 'place'
  readonly at: number
  /** The least time for which the delivery id is claimed, in milliseconds (`KeptRequest`). */
  readonly claimMs?: number | undefined
  /** Whether an operator replays a stored request as a new event. */
  readonly isReplay?: boolean | undefined
  /** The claim on what the event says (`duplicates.key`, `cooldown`), which is made with that of its delivery id. */
  readonly besideClaim?: BesideClaim | undefined
  /** The keys by which later events end the work of this event (`NewRun`). */
  readonly endKeys?: string
  /** The key whose earlier work the event ends (`supersede`), and its own id. */
  readonly ending?: { readonly key: string; readonly by: string }
  /** The agent that its run is for. Absent: the default agent. */
  readonly agent?: string
  /** What its run keeps for the program of the agent. */
  readonly given?: GivenToAgent
  /** What its run keeps for `deliver_if` of the route. */
  readonly deliverIf?: DeliveryFacts
  /** The `traceparent` that the request brought, where the route trusts it and traces are on. */
  readonly traceparent?: string | undefined
  /** The key by which the event's run is held to the `rate_limit` of its route, hashed. Absent where the route has no key. */
  readonly rateKey?: string
}

/**
 * A file that came with an event, as its payload says. `field`: the name of its part. `name`: a harmless name. `type`: the media type as
 * the sender says. `bytes`: its length. `dropped`: why the file was not kept; absent for a file that was.
 */
export type Attachment = {
  readonly name: string
  readonly type: string
  readonly bytes: number
  /** In hexadecimal digits. */
  readonly sha256: string
  readonly field: string
  readonly dropped?: string
}

/** A file that is kept for the run of an event. `content`: a view of the body. */
export type KeptFile = Attachment & { readonly content: Buffer }
