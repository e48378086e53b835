/** Checks an HMAC-SHA256 as most schemes use it: over a prefix from the headers, followed by the body. */

import { createHmac } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import { HmacKey } from '../../../node-internals/hmac-key.ts'
import type { CheckHead, Why } from '../scheme.ts'
import { equal } from './equal.ts'

/** The claim in the headers: one of `digests` is the HMAC of `prefix` followed by the body. */
export type Claim = { readonly prefix: string; readonly digests: readonly Buffer[] }

/** Returns a claim about the body alone. Without a digest, the result is `malformed`. */
export const bodyClaim = (digest: Buffer | undefined, malformed: Why): Claim | Why =>
  digest ? { prefix: '', digests: [digest] } : malformed

/** Checks the claim that `read` finds in the headers. `read` returns the reason when a header is missing, malformed or too old. */
export const checkHmac = (key: Buffer | string, read: (head: RequestHead) => Claim | Why): CheckHead => {
  // Made at the first request, because there may be thousands of routes, each with every scheme.
  let hmacKey: HmacKey | undefined
  return (head) => {
    const claim = read(head)
    if (typeof claim === 'string') return claim
    return (body) => {
      hmacKey ??= new HmacKey('sha256', typeof key === 'string' ? Buffer.from(key) : key)
      // Node decodes headers as latin1, so encoding as latin1 gives the signed bytes.
      const digest = hmacKey.digest(claim.prefix === '' ? [body] : [Buffer.from(claim.prefix, 'latin1'), body])
      return claim.digests.some((claimed) => equal(claimed, digest)) || 'no secret of the route gives this signature'
    }
  }
}

/** Returns the HMAC that a sender computes. */
export const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
