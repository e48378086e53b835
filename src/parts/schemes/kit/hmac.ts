/** Checks an HMAC-SHA256 as most schemes use it: over a prefix from the headers, followed by the body. */

import { createHmac } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import { HmacKey } from '../../../node-internals/hmac-key.ts'
import type { CheckHead, Why } from '../scheme.ts'
import { equal } from './equal.ts'

/** What the headers say: one of `digests` is the HMAC of `prefix` followed by the body. */
export type SentHmac = { readonly prefix: string; readonly digests: readonly Buffer[] }

/** Returns the sent HMAC of a body without a prefix, or `malformed` where there is no digest. */
export const sentBodyHmac = (digest: Buffer | undefined, malformed: Why): SentHmac | Why =>
  digest ? { prefix: '', digests: [digest] } : malformed

/** Checks the HMAC that `read` finds in the headers. `read` returns the reason when a header is missing, malformed or too old. */
export const checkHmac = (key: Buffer | string, read: (head: RequestHead) => SentHmac | Why): CheckHead => {
  // Made at the first request, because there may be thousands of routes, each with every scheme.
  let hmacKey: HmacKey | undefined
  return (head) => {
    const sent = read(head)
    if (typeof sent === 'string') return sent
    return (body) => {
      hmacKey ??= new HmacKey('sha256', typeof key === 'string' ? Buffer.from(key) : key)
      // Node decodes headers as latin1, so encoding as latin1 gives the signed bytes.
      const digest = hmacKey.digest(sent.prefix === '' ? [body] : [Buffer.from(sent.prefix, 'latin1'), body])
      return sent.digests.some((sentDigest) => equal(sentDigest, digest)) || 'no secret of the route gives this signature'
    }
  }
}

/** Returns the HMAC that a sender computes. */
export const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
