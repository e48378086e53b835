/** The contract of signature schemes: a scheme verifies a sender's requests, and signs test requests as that sender would. */

import type { Code } from '../../core/diagnostic.ts'
import type { Json } from '../../core/json.ts'
import type { Reply } from '../../core/outcome.ts'
import type { Closable } from '../../core/owner.ts'
import type { Headers, RequestBody, RequestHead } from '../../core/request.ts'
import type { KnownEvents } from '../known-events.ts'
import type { SenderKeys } from '../sender-keys.ts'

/** Why a signature is not valid. The reason goes to the log, and the sender never learns it. */
export type Why = string

/** Nobody can say at the moment: the sender's keys cannot be had. The sender is asked to try again. */
export type Later = { readonly later: string }

/**
 * Checks the raw bytes of a body. A scheme whose keys are fetched may have to wait for them; it never rejects. One that reads more of the
 * body than its bytes reads it through `read`, which the parser and all other secrets of the route share.
 */
export type CheckBody = (bytes: Buffer, read?: RequestBody) => true | Why | Later | Promise<true | Why | Later>

/** Checks the headers. Returns the check for the body, or the reason why the headers are refused whatever the body is. */
export type CheckHead = (head: RequestHead) => CheckBody | Why

/** An address that is fetched before the answer. `isAllowed`: it is one of the sender's own. */
export type Confirm = { readonly address: string; readonly isAllowed: boolean }

/** What the answer to a question is made with. */
export type HandshakeKeys = { readonly secret: string; readonly verifyToken: string | undefined }

/** A question that a sender asks before it sends events. */
export type Handshake = {
  readonly method: 'POST' | 'GET' | 'HEAD' | 'OPTIONS'
  /** It is answered only when its signature holds; else from its head alone. */
  readonly signed: boolean
  /** Nobody signs it, and its body shows it: anybody gets the same answer, of a short body, and one whose signature holds does, too. */
  readonly open?: boolean
  /** The event's type, where the question comes as an event: a route that lists the type gets it as one. */
  readonly event?: string
  /** `undefined` when the request is no such question; a sentence says why it is refused. The body is empty where only the head is known. */
  answer(
    head: RequestHead,
    body: RequestBody,
    keys: HandshakeKeys,
  ): { readonly reply: Reply; readonly confirm?: Confirm } | string | undefined
}

/** Something to know about a scheme, reported for each route that names it. */
export type Note = { readonly code: Code; readonly message: string; readonly help: string }

/** What a sender does after an answer that is no success. Absent where that is not documented. */
export type Repeats = {
  /** It sends the event again without anybody's doing. */
  readonly byItself: boolean
  /** When, or what can be done by hand: for people. */
  readonly how: string
}

/** A test request without its signature. */
export type Unsigned = {
  readonly secret: string
  readonly body: string
  /** The delivery id. */
  readonly id: string
  /** The wall time of sending, in milliseconds. */
  readonly at: number
  readonly event?: string
  /** The address as the gateway sees it, for schemes that sign it or have something in its query. */
  readonly url?: string
  readonly contentType?: string
  /** In PEM, for schemes whose sender has one. */
  readonly privateKey?: string
}

/** A signed test request. A scheme that puts the time of sending in the body changes the body too, one that signs in the query the address. */
export type Signed = { readonly headers: { readonly [name: string]: string }; readonly body: string; readonly url?: string }

/** How a shell signs for a scheme. */
export type ByHand = {
  /** In words: the header, and what stands in it. */
  readonly how: string
  /** What the HMAC-SHA256 is made of, where `$t` is the time in seconds and `$b` the body. */
  readonly signed: string
  /** The headers of the request. They may have `$t`, and `$hmac` for the HMAC in hex. */
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
  /** Other names that `webhook test --scheme` accepts. In a plugin's scheme they have no effect. */
  readonly aliases?: readonly string[]
  /** Whether a request with these headers uses this scheme. When it does, no weaker scheme is tried. */
  shows(headers: Headers): boolean
  /** Headers that show it. Where it is absent, those of a request that it signs do. In a plugin's scheme it has no effect. */
  readonly shownBy?: Headers
  /** Makes the check for one of the route's secrets; `undefined` when this scheme cannot use that secret. Without `keys` none is fetched. */
  compile(secret: string, keys?: SenderKeys): Closable<CheckHead> | undefined
  /** What to report at load when this scheme cannot use a secret. When absent, nothing is reported. */
  readonly badSecret?: { readonly message: string; readonly help: string }
  /** The delivery id that the signature covers. When there is one, a captured request cannot look new by an unsigned header. */
  signedId?(headers: Headers): string | undefined
  /** Lower-case names of headers that hold the event's type. They are read whatever scheme the request uses. */
  readonly eventTypeHeaders?: readonly string[]
  /** Lower-case names of headers that hold the delivery id. They are read whatever scheme the request uses. */
  readonly idHeaders?: readonly string[]
  /** The payload's field that holds a short form of the event's type. The route's `events` may list the short form too. */
  readonly shortTypeField?: string
  /**
   * Lower-case names of headers in which a request has the secret itself. Once a request is verified their values are masked: neither records nor
   * filters, scripts and prompts get them.
   */
  readonly secretHeaders?: readonly string[]
  /** Paths of the same in the body, dotted, with `*` for each item of a list. */
  readonly secretFields?: readonly string[]
  /**
   * Where a request has its signature, and has no secret: a refused one may be kept with it, to be verified again. `address`: the address is
   * signed, or holds the signature. Absent where a request has the secret itself, and where not the whole body is signed. In a plugin's scheme it has no effect.
   */
  readonly signatureIn?: { readonly headers: readonly string[]; readonly address?: true }
  /** What the route's keys are: shared secrets (so where it is absent), the sender's public keys, or none, since the scheme fetches them. */
  readonly keys?: 'secret' | 'public' | 'none'
  /** Which key it is that the sender makes and shows, and where. Absent where its user chooses the key: then any secret of ours will do. */
  readonly senderKey?: string
  /**
   * The signature covers parts of the body only, so that a captured one could serve another body. Its delivery id is claimed whatever becomes of
   * the event. In a plugin's scheme it has no effect.
   */
  readonly signsParts?: boolean
  /** A question of its sender is answered with a signature of what was asked: its key may serve no other scheme. In a plugin's scheme it has no effect. */
  readonly answersChallenges?: boolean
  /** It serves only routes that name it, and what those read of an event comes from it first. In a plugin's scheme it has no effect. */
  readonly byName?: boolean
  /** How the event's type and the delivery id are read, on routes that name the scheme. In a plugin's scheme it has no effect. */
  readonly reads?: {
    readonly eventType?: ((headers: Headers, payload: Json) => string | undefined) | undefined
    /** Where a request may have several events: in which list, and the types of all of them. */
    readonly several?: { readonly list: string; readonly typesIn: (headers: Headers, payload: Json) => readonly string[] } | undefined
    readonly deliveryId?: ((headers: Headers, body: RequestBody) => string | undefined) | undefined
    /** What stands for an id that no header has: the same for whatever one signature covers. */
    readonly repeatId?: ((headers: Headers, body: RequestBody) => string | undefined) | undefined
  }
  /** What its sender asks before it sends events. In a plugin's scheme it has no effect. */
  readonly handshakes?: readonly Handshake[]
  /** How an event of it is answered on a route that names it and has no `respond`. In a plugin's scheme it has no effect. */
  readonly respond?: { readonly status?: number; readonly body?: string; readonly content_type?: string }
  /** Whether its sender sends an event again that was refused. In a plugin's scheme it has no effect. */
  readonly repeats?: Repeats
  /** The event types that the scheme's sender is known to send. In a plugin's scheme the list has no effect. */
  readonly events?: KnownEvents
  /** What validate says of each route that names it. In a plugin's scheme it has no effect. */
  readonly notes?: readonly Note[]
  /** Signs a test request as the sender does. Throws a Fault for a secret that the scheme cannot use. */
  sign(request: Unsigned): Signed
  /** How it is signed by hand: `webhook subscribe` shows it, and a line for curl. When absent, nothing is shown. */
  readonly byHand?: ByHand
  /** A warning that is logged once for each route whose requests use the scheme. */
  readonly deprecated?: string
}
