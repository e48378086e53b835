/** The contract of signature schemes: a scheme verifies a sender's requests, and signs test requests as that sender would. */

import type { Closable } from '../../core/owner.ts'
import type { Headers, RequestHead } from '../../core/request.ts'

/** Why a signature is not valid. The reason goes to the log, and the sender never learns it. */
export type Why = string

/** Checks the raw bytes of a body. */
export type CheckBody = (body: Buffer) => true | Why

/** Checks the headers. Returns the check for the body, or the reason why the headers are refused whatever the body is. */
export type CheckHead = (head: RequestHead) => CheckBody | Why

/** A test request without its signature. */
export type Unsigned = {
  readonly secret: string
  readonly body: string
  /** The delivery id. */
  readonly id: string
  /** The wall time of sending, in milliseconds. */
  readonly at: number
  readonly event?: string
}

/** A signed test request. A scheme that puts the time of sending in the body changes the body too. */
export type Signed = { readonly headers: { readonly [name: string]: string }; readonly body: string }

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
  /** Makes the check for one of the route's secrets; `undefined` when this scheme cannot use that secret. */
  compile(secret: string): Closable<CheckHead> | undefined
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
  /** Signs a test request as the sender does. Throws a Fault for a secret that the scheme cannot use. */
  sign(request: Unsigned): Signed
  /** How it is signed by hand: `webhook subscribe` shows it, and a line for curl. When absent, nothing is shown. */
  readonly byHand?: ByHand
  /** A warning that is logged once for each route whose requests use the scheme. */
  readonly deprecated?: string
}
