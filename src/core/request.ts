/** One request on its way in: what is known of it before its signature holds, and after. */

import type { IncomingHttpHeaders } from 'node:http'
import type { Json } from './json.ts'
import type { Refused } from './outcome.ts'

export type Headers = IncomingHttpHeaders

/** What the bytes of a body are. `text`: the JSON behind the payload, where long numbers keep their digits. `fields`: those of a form, in their order. */
export type Content =
  | { readonly kind: 'json'; readonly text: string; readonly payload: Json }
  | { readonly kind: 'form'; readonly text: string; readonly payload: Json; readonly fields: readonly FormField[] }
  | { readonly kind: 'unread'; readonly why: 'not JSON' | 'too many' }

export type FormField = readonly [name: string, value: string]

/** A body as the check of a signature sees it. */
export interface BodyView {
  readonly bytes: Buffer
  /** The payload of JSON or a form; `undefined` where the body is neither. */
  payload(): Json | undefined
  /** The value that `make` returned at the first call with this key. Later calls with it do not run `make`. */
  once<T>(key: object, make: () => T): T
}

/**
 * The body of one request, read once: what checks a signature, what answers a handshake and what makes the event must all see the same
 * content in the bytes, and none of them may pay for it again.
 */
export interface RequestBody extends BodyView {
  content(): Content
  /** The content, which is let go of: whoever makes the event keeps it no longer than it must. */
  take(): Content
}

/** A request whose body has not been read: headers only, which nobody has verified yet. */
export type RequestHead = {
  readonly method: string
  /** The address as the sender sees it, worked out only when asked for: few schemes sign it. */
  readonly url: () => string
  /** The query of the configured address with its question mark; empty where it has none. A signed address has no other query. */
  readonly ownQuery?: string
  readonly headers: Headers
  /** Names and values by turns, as they came: of some headers that stand twice, `headers` has the first only. Absent where a request was not received. */
  readonly rawHeaders?: readonly string[]
  /** The client's address, worked out only when asked for (behind a trusted proxy it costs a header scan). */
  readonly remote: () => string
  /** Whether a proxy that is trusted by its address handed it on. */
  readonly isProxied: () => boolean
  /** Wall time of arrival, milliseconds. */
  readonly at: number
}

/** A request that nobody vouched for: its body is there where it was read. */
export type UnverifiedRequest = RequestHead & { readonly body?: Buffer | undefined }

/** What the signature check found out: which scheme held, with which of the route's secrets, over which id. */
export type Verification = {
  readonly scheme: string
  /** 0 for `secret` or the first of `secrets`. */
  readonly secret: number
  /** The delivery id that the signature covers, where the scheme signs one. */
  readonly signedId: string | undefined
  /** The signature holds, but the route takes no more in this minute. */
  readonly limited?: Refused
}

/** Headers and raw bytes whose signature holds: from here on the request leaves a record. */
export type VerifiedRequest = Pick<RequestHead, 'headers' | 'remote' | 'at'> & {
  readonly eventId: string
  readonly body: Buffer
  readonly verification: Verification
  /** The body as the check has read it. Absent where no check did. */
  readonly read?: RequestBody
}

/** A verified, parsed event. */
export type Event = EventFacts & {
  /** The JSON text behind `payload`: what a script reads, and where long numbers keep their digits. */
  readonly text: string
  readonly payload: Json
}

/** What is known of an event without its payload, and small. */
export type EventFacts = {
  readonly eventId: string
  readonly route: string
  readonly profile: string
  readonly headers: Headers
  readonly eventType: string
  /** Host B's short form of its human title (`merge_request`), which `events` accepts too. */
  readonly eventAlias: string | undefined
  readonly deliveryId: string
  readonly at: number
}
