/** The contract of signature schemes: a scheme verifies a sender's requests, and signs test requests as that sender would. */

import type { Closable } from '../../core/owner.ts'
import type { Headers, RequestHead } from '../../core/request.ts'

/** Why a signature does not hold, for the log. The sender never learns it. */
export type Why = string

/** Checks the raw bytes of a body. */
export type CheckBody = (body: Buffer) => true | Why

/** Checks the headers: gives the check for the body, or why no body could make them hold. */
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

/** A signed test request. A scheme with its time in the body changes the body too. */
export type Signed = { readonly headers: { readonly [name: string]: string }; readonly body: string }

/**
 * One scheme, both directions.
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
  /** Other names that `webhook test --scheme` takes; those of a plugin's scheme have no effect. */
  readonly aliases?: readonly string[]
  /** Whether these headers commit a request to this scheme, so that no weaker one is tried. */
  shows(headers: Headers): boolean
  /** Checks requests with one of the route's secrets; `undefined` when that secret cannot serve this scheme. */
  compile(secret: string): Closable<CheckHead> | undefined
  /** Says at load what is wrong with a secret that cannot serve it; absent: nothing is said. */
  readonly badSecret?: { readonly message: string; readonly help: string }
  /** The delivery id that the signature covers. An unsigned header must not make a captured request look new. */
  signedId?(headers: Headers): string | undefined
  /** Lower-case names of headers with the event's type. They are read whatever scheme the request has. */
  readonly eventTypeHeaders?: readonly string[]
  /** The same for headers with the delivery id. */
  readonly idHeaders?: readonly string[]
  /** The payload's field with a short form of the event's type, which `events` accepts too. */
  readonly shortTypeField?: string
  /** Signs as a sender does. Throws a Fault for a secret that the scheme cannot use. */
  sign(request: Unsigned): Signed
  /** A warning that is logged once for each route whose requests use the scheme. */
  readonly deprecated?: string
}
