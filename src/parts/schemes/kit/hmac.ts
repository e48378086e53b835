/** HMAC-SHA256 as most schemes use it: over a prefix from the headers, and the body. */

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import type { CheckHead, Why } from '../scheme.ts'
import { equal } from './equal.ts'

/** What the headers claim: one of `digests` is that of `prefix` and the body. */
export type Claim = { readonly prefix: string; readonly digests: readonly Buffer[] }

/** A claim over the body alone; `malformed` without a digest. */
export const bodyClaim = (digest: Buffer | undefined, malformed: Why): Claim | Why =>
  digest ? { prefix: '', digests: [digest] } : malformed

/** Checks the claim that `read` finds in the headers. `read` says why where a header is missing, malformed or too old. */
export const checkHmac = (key: Buffer | string, read: (head: RequestHead) => Claim | Why): CheckHead => {
  // The key is made with the first request, because there may be thousands of routes, each with every scheme.
  let object: KeyObject | undefined
  return (head) => {
    const claim = read(head)
    if (typeof claim === 'string') return claim
    return (body) => {
      object ??= createSecretKey(typeof key === 'string' ? Buffer.from(key) : key)
      const hmac = createHmac('sha256', object)
      // Node gives header text as latin1, so these are the bytes that were signed.
      if (claim.prefix !== '') hmac.update(claim.prefix, 'latin1')
      const digest = hmac.update(body).digest()
      return claim.digests.some((claimed) => equal(claimed, digest)) || 'no secret of the route gives this signature'
    }
  }
}

/** The digest that a sender computes. */
export const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
