/** Makes and checks HMAC-SHA256 as the schemes outside of `described/` use it: over a prefix from the headers, followed by the body. */

import { createHmac } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import { HmacKey } from '../../../node-internals/hmac-key.ts'
import { isSameDigest } from '../../../secrets/same-secret.ts'
import type { CheckHead, RefusalReason } from '../scheme.ts'

const sha256 = /^[0-9a-f]{64}$/i

/** Returns the 32 bytes of a SHA-256 digest; `undefined` for any other text. */
export const hexDigest = (text: string): Buffer | undefined => (sha256.test(text) ? Buffer.from(text, 'hex') : undefined)

/** The HMAC in the headers of a request: one of `digests` must be the HMAC of `prefix` followed by the body. */
export type SentHmac = { readonly prefix: string; readonly digests: readonly Buffer[] }

/** Returns the HMAC of a body without a prefix, as the headers have it, or the reason `malformed` where there is no digest. */
export const sentBodyHmac = (digest: Buffer | undefined, malformed: RefusalReason): SentHmac | RefusalReason =>
  digest ? { prefix: '', digests: [digest] } : malformed

/**
 * Makes the check of an HMAC with one key. `read`: finds the HMAC in the headers, or returns the reason why the headers are refused.
 */
export const checkHmac = (key: Buffer | string, read: (head: RequestHead) => SentHmac | RefusalReason): CheckHead => {
  // The key is prepared at the first request, because there may be thousands of routes, each with every scheme.
  let hmacKey: HmacKey | undefined
  return (head) => {
    const sent = read(head)
    if (typeof sent === 'string') return sent
    return (body) => {
      hmacKey ??= new HmacKey('sha256', typeof key === 'string' ? Buffer.from(key) : key)
      // Node decodes headers as latin1, so encoding the prefix as latin1 gives the bytes that were signed.
      const digest = hmacKey.digest(sent.prefix === '' ? [body] : [Buffer.from(sent.prefix, 'latin1'), body])
      return sent.digests.some((sentDigest) => isSameDigest(sentDigest, digest)) || 'no secret of the route gives this signature'
    }
  }
}

export const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
