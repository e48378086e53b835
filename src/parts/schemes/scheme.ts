/**
 * The contract of signature schemes: a scheme verifies a sender's requests, says how the sender's events are read, and signs test requests
 * as that sender would.
 */

import type { Code } from '../../core/diagnostic.ts'
import type { Json } from '../../core/json.ts'
import type { Reply } from '../../core/outcome.ts'
import type { Headers, RequestBody, RequestHead } from '../../core/request.ts'
import type { Closable } from '../../core/scope.ts'
import type { KnownEvents } from '../known-events.ts'
import type { SenderKeys } from '../sender-keys.ts'

/** The reason why a request is refused. The log, records and commands show the reason; the sender never gets it. */
export type RefusalReason = string

/**
 * The result of a check that cannot decide now, because the sender's keys cannot be fetched. The sender is asked to try again. `later`: the
 * reason.
 */
export type KeysUnavailable = { readonly later: string }

/**
 * Checks the raw bytes of a body. Returns `true` when the signature is valid, else the reason why it is not, or `KeysUnavailable`. A check
 * that waits, such as for keys that are fetched, returns a promise, which never rejects. A scheme that needs the content of the body takes
 * it from `read`. The content is read once, for all secrets of the route and for the parser. The check of a plugin's scheme gets no `read`,
 * and must not return a promise or `KeysUnavailable`.
 */
export type CheckBody = (
  bytes: Buffer,
  read?: RequestBody,
) => true | RefusalReason | KeysUnavailable | Promise<true | RefusalReason | KeysUnavailable>

/** Checks the headers of a request. Returns the check of its body, or the reason why the request is refused whatever its body is. */
export type CheckHead = (head: RequestHead) => CheckBody | RefusalReason

/**
 * An address that the gateway fetches before it answers a handshake, to confirm a subscription. `isAllowed`: the address belongs to the
 * sender.
 */
type Confirm = { readonly address: string; readonly isAllowed: boolean }

/**
 * The secrets for the answer to a handshake. `secret`: the secret of the route with which the signature is valid; the first secret for a
 * question without a signature. `verifyToken`: `verify_token` of the route.
 */
type HandshakeKeys = { readonly secret: string; readonly verifyToken: string | undefined }

/** A question that a sender asks before it sends events. */
export type Handshake = {
  readonly method: 'POST' | 'GET' | 'HEAD' | 'OPTIONS'
  /**
   * `true`: the question is answered only when its signature, or the credential in its head, is valid. `false`: the head of the question
   * alone decides, or its body where `open` is set.
   */
  readonly signed: boolean
  /**
   * The question is recognised by its short body, and need not be signed. Everybody gets the same answer, with or without a valid
   * signature.
   */
  readonly open?: boolean
  /** The key of the route that the answer needs. */
  readonly needs?: 'verify_token' | 'confirm_subscriptions'
  /** The event's type, where the question comes as an event. A route that lists the type gets the event. */
  readonly event?: string
  /**
   * Returns the answer, a sentence on why the question is refused, or `undefined` where the request is not this question. `body` is empty
   * where only the head is known.
   */
  answer(
    head: RequestHead,
    body: RequestBody,
    keys: HandshakeKeys,
  ): { readonly reply: Reply; readonly confirm?: Confirm } | string | undefined
}

/** A note on a scheme, reported for each route that names the scheme. */
export type Note = { readonly code: Code; readonly message: string; readonly help: string }

/**
 * The list of a sender that puts several events into one request. `items`: the place of the list (`compileItemList`). `type`: the paths in
 * an item to its type; the first with a value counts. `id`: the paths in an item to the values that make its id together; of a list of
 * paths, the first with a value counts. `byEvents`: a request has no type but those of its items, so `events` of a route asks for single
 * items.
 */
export type Batch = {
  readonly items: string
  readonly type?: string | readonly string[]
  readonly id?: readonly (string | readonly string[])[]
  readonly byEvents?: true
}

/** How a sender repeats an event after an answer that is not a success. Absent where the sender does not document it. */
export type Repeats = {
  /** The sender repeats the event automatically. */
  readonly byItself: boolean
  /** When the sender repeats the event, or how an operator has it repeated: for people. */
  readonly how: string
}

/** A test request that is to be signed. `secret`: the secret to sign with; `event`: the event's type. */
export type Unsigned = {
  readonly secret: string
  readonly body: string
  /** The delivery id. */
  readonly id: string
  /** The wall time of sending, in milliseconds. */
  readonly at: number
  readonly event?: string
  /** The address as the gateway sees it, for schemes that sign it or use its query. */
  readonly url?: string
  readonly contentType?: string
  /** Absent: POST. */
  readonly method?: string
  /** A private key in PEM, for schemes whose sender has one. */
  readonly privateKey?: string
}

/**
 * A signed test request. A scheme with the time of sending in the body changes the body too; a scheme with the signature in the query
 * changes the address.
 */
export type Signed = { readonly headers: { readonly [name: string]: string }; readonly body: string; readonly url?: string }

/** How a person signs a request by hand, in a shell. */
export type ByHand = {
  /** The header and its value, in words. */
  readonly how: string
  /** The text that the HMAC-SHA256 is made of. `$t` is the time in seconds, and `$b` the body. */
  readonly signed: string
  /** The headers of the request. Their values may have `$t`, and `$hmac` for the HMAC in hex. */
  readonly headers: { readonly [name: string]: string }
}

/**
 * One signature scheme.
 * @example
 * const digest = (secret: string, body: string | Buffer) => createHmac('sha256', secret).update(body).digest()
 *
 * export const scheme: Scheme = {
 *   name: 'acme-sign',
 *   title: 'Acme',
 *   shows: (headers) => headers['acme-signature'] !== undefined,
 *   compile: (secret) => (head) => {
 *     const claimed = Buffer.from(String(head.headers['acme-signature']), 'hex')
 *     return (body) => (claimed.length === 32 && timingSafeEqual(claimed, digest(secret, body))) || 'the signature differs'
 *   },
 *   sign: ({ secret, body }) => ({ headers: { 'Acme-Signature': digest(secret, body).toString('hex') }, body }),
 * }
 */
export type Scheme = {
  /** The name for `verify`. */
  readonly name: string
  /** The name for people, in editors. */
  readonly title: string
  /**
   * Other names that `webhook test --scheme` accepts; `verify` accepts the other names of presets. In a plugin's scheme they have no
   * effect.
   */
  readonly aliases?: readonly string[]
  /** Whether a request with these headers uses this scheme. If so, the scheme decides alone, and no weaker scheme is tried. */
  shows(headers: Headers): boolean
  /**
   * Headers for which `shows` is true. Absent: the headers of a request that `sign` made are taken. In a plugin's scheme they have no
   * effect.
   */
  readonly shownBy?: Headers
  /**
   * Makes the check with one of the route's secrets; `undefined` when the scheme cannot use that secret. Without `keys`, no key of the
   * sender is fetched.
   */
  compile(secret: string, keys?: SenderKeys): Closable<CheckHead> | undefined
  /** The finding at load for a secret that the scheme cannot use. Absent: nothing is reported. */
  readonly badSecret?: { readonly message: string; readonly help: string }
  /** Returns the delivery id that the signature covers. With such an id, a captured request cannot look new by an unsigned header. */
  signedId?(headers: Headers): string | undefined
  /** Lower-case names of headers with the event's type. Requests of other schemes may have them too, unless the type is in their body. */
  readonly eventTypeHeaders?: readonly string[]
  /**
   * Lower-case names of headers with the delivery id. Requests of other schemes may have them too, unless the other scheme reads an id
   * itself.
   */
  readonly idHeaders?: readonly string[]
  /** The field of the payload with a short form of the event's type. The route's `events` may list the short form too. */
  readonly shortTypeField?: string
  /**
   * Returns the short forms that go with a type in the header; `undefined` where any may. A request whose payload has another one has no
   * type: one of the two was changed, and nobody knows which.
   */
  shortTypesOf?(title: string): readonly string[] | undefined
  /**
   * Lower-case names of headers whose value is the secret itself. The values are masked once a request is verified: records, filters,
   * scripts and prompts do not get them.
   */
  readonly secretHeaders?: readonly string[]
  /** Names of parameters of the query whose value is the secret itself. The values are masked like those of `secretHeaders`. */
  readonly secretQuery?: readonly string[]
  /**
   * Paths in the body whose value is the secret itself: dotted, with `*` for each item of a list. The values are masked like those of
   * `secretHeaders`.
   */
  readonly secretFields?: readonly string[]
  /**
   * The place of the signature. With this member, a refused request can be kept with its signature, to be verified again. `address`: the
   * address is signed, or has the signature. Absent where a request has the secret itself, and where only a part of the body is signed. In
   * a plugin's scheme it has no effect.
   */
  readonly signatureIn?: { readonly headers: readonly string[]; readonly address?: true }
  /**
   * The kind of the route's keys: shared secrets (the default), the sender's public keys, or none, because the scheme fetches its keys. In
   * a plugin's scheme this member has no effect: the keys are shared secrets.
   */
  readonly keys?: 'secret' | 'public' | 'none'
  /** The key that the sender makes and shows, and where. Absent where the operator chooses the key. */
  readonly senderKey?: string
  /**
   * The signature covers only parts of the body, so a captured signature could be sent with another body. Therefore even the delivery id of
   * an ignored event is claimed. In a plugin's scheme this member has no effect.
   */
  readonly signsParts?: boolean
  /**
   * The answer to a handshake of the sender is a signature of the question, made with the route's secret. Anybody may ask, so the secret
   * may serve no other scheme. In a plugin's scheme this member has no effect.
   */
  readonly answersChallenges?: boolean
  /**
   * The scheme serves only routes that name it in `verify`. On those routes its `reads` come before the headers of other schemes. In a
   * plugin's scheme this member has no effect.
   */
  readonly byName?: boolean
  /**
   * The functions that read the type and the delivery id of an event. With `byName` they serve the routes that name the scheme, else all
   * routes. In a plugin's scheme they have no effect.
   */
  readonly reads?: {
    readonly eventType?: ((headers: Headers, payload: Json) => string | undefined) | undefined
    /** For a sender that puts several events into a request: the path of their list, and the types of all of them. */
    readonly several?: { readonly list: string; readonly typesIn: (headers: Headers, payload: Json) => readonly string[] } | undefined
    readonly deliveryId?: ((headers: Headers, body: RequestBody) => string | undefined) | undefined
    /** Returns the delivery id for a request without any other id: a digest of the signed content, so that a repeat has the same id. */
    readonly repeatId?: ((headers: Headers, body: RequestBody) => string | undefined) | undefined
  }
  /** The list of a sender that puts several events into one request. In a plugin's scheme it has no effect. */
  readonly batch?: Batch
  /** The questions of the sender before it sends events. In a plugin's scheme they have no effect. */
  readonly handshakes?: readonly Handshake[]
  /** The answer to an event, on a route that names the scheme and has no `respond`. In a plugin's scheme it has no effect. */
  readonly respond?: { readonly status?: number; readonly body?: string; readonly content_type?: string }
  /** How long the sender waits for an answer, in seconds. In a plugin's scheme it has no effect. */
  readonly waitsSeconds?: number
  /** How the sender repeats a refused event. In a plugin's scheme this member has no effect. */
  readonly repeats?: Repeats
  /** The known event types of the sender. In a plugin's scheme they have no effect. */
  readonly events?: KnownEvents
  /** The notes that are reported when a route that names the scheme is compiled. In a plugin's scheme they have no effect. */
  readonly notes?: readonly Note[]
  /**
   * Signs a test request as the sender does. Throws a Fault for a secret that the scheme cannot use, for a request that lacks a value of
   * the signed text, and where only the sender has the key.
   */
  sign(request: Unsigned): Signed
  /** The signing by hand, which `webhook subscribe` shows in words and as a command line for curl. Absent: nothing is shown. */
  readonly byHand?: ByHand
  /** A warning that is logged once for each route whose requests use the scheme. */
  readonly deprecated?: string
}
