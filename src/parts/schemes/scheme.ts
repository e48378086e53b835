/** A signature scheme: how a sender shows that a request is its own. */

import type { Headers, Verification } from '../../core/request.ts'

/** A signature scheme as data; `stages/signature.ts` serves them all. */
export type Scheme = {
  readonly name: string
  /** Whether these headers commit a request to this scheme. */
  readonly shows: (headers: Headers) => boolean
  /** Reads the headers alone: what must hold of the body, or `undefined` when nothing can. */
  readonly read: (headers: Headers, at: number) => Evidence | undefined
  /** The key's bytes; `undefined` when the secret cannot serve this scheme. */
  readonly key: (secret: string) => Buffer | undefined
  readonly signedId?: (headers: Headers) => string | undefined
  readonly freshness?: Verification['freshness']
  /** Said once per route when a request uses it. */
  readonly deprecated?: string
}

export type Evidence =
  | { readonly kind: 'token'; readonly token: Buffer }
  /** `prefix` and the body, HMAC-SHA256; any of `digests` may match. */
  | { readonly kind: 'hmac'; readonly prefix: string; readonly digests: readonly Buffer[] }
