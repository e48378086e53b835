/** A signature scheme: how a sender shows that a request is its own, and how we would show the same. */

import type { Headers, RequestHead } from '../../core/request.ts'

/** Why a request does not hold: for the log, never for the sender. */
export type Why = string

/** Decides over the raw bytes. */
export type CheckBody = (body: Buffer) => true | Why

/** Decides over the headers alone: why no body could make them hold, or what decides over the body. */
export type CheckHead = (head: RequestHead) => CheckBody | Why

/** A request that has no signature yet. */
export type Unsigned = {
  readonly secret: string
  readonly body: string
  /** The delivery id. */
  readonly id: string
  /** Wall time of sending, milliseconds. */
  readonly at: number
  readonly event?: string
}

/** What is sent: a scheme whose time stands in the body changes that too. */
export type Signed = { readonly headers: { readonly [name: string]: string }; readonly body: string }

/**
 * One scheme, both directions. `stages/signature.ts` serves them all.
 * @example
 * const acme: Scheme = {
 *   name: 'acme',
 *   title: 'Acme',
 *   shows: (headers) => headers['acme-signature'] !== undefined,
 *   compile: (secret) => checkHmac(secret, ({ headers }) => claimOf(hexDigest(header(headers, 'acme-signature')))),
 *   sign: ({ secret, body }) => ({ headers: { 'Acme-Signature': hmac(secret, body).toString('hex') }, body }),
 * }
 */
export type Scheme = {
  /** What `verify` calls it. */
  readonly name: string
  /** For people, where editors list the schemes. */
  readonly title: string
  /** Other names that `webhook test --scheme` takes. */
  readonly aliases?: readonly string[]
  /** Whether these headers commit a request to this scheme: then no weaker one is asked. */
  shows(headers: Headers): boolean
  /** Checks requests with one of the route's secrets; `undefined` when that secret cannot serve this scheme. */
  compile(secret: string): CheckHead | undefined
  /** Says at load what is wrong with a secret that cannot serve it; absent: nothing is said. */
  readonly badSecret?: { readonly message: string; readonly help: string }
  /** The delivery id that its signature covers: an unsigned header must not make a captured request look new. */
  signedId?(headers: Headers): string | undefined
  /** Lower-case names of headers with the event's type, and with the delivery id: read whatever scheme the request has. */
  readonly eventTypeHeaders?: readonly string[]
  readonly idHeaders?: readonly string[]
  /** The payload's field with a short form of the event's type, which `events` accepts too. */
  readonly shortTypeField?: string
  /** Signs as its senders do. Throws a Fault for a secret that cannot serve it. */
  sign(request: Unsigned): Signed
  /** Said once per route when a request uses it. */
  readonly deprecated?: string
}
