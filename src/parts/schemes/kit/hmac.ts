/** HMAC-SHA256, the way of most schemes: over the body, behind what the headers put before it. */

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import type { CheckHead } from '../scheme.ts'
import { equal } from './equal.ts'

/** What the headers claim: any of `digests` may be that of `prefix` and the body. */
export type Claim = { readonly prefix: string; readonly digests: readonly Buffer[] }

/** A claim over the body alone; `undefined` without a digest. */
export const bodyClaim = (digest: Buffer | undefined): Claim | undefined => digest && { prefix: '', digests: [digest] }

/** Checks the claim that `read` finds in the headers; it finds none where one is missing, malformed, or too old. */
export const checkHmac = (key: Buffer | string, read: (head: RequestHead) => Claim | undefined): CheckHead => {
  // Made with the first request: there are thousands of routes, and each has every scheme.
  let object: KeyObject | undefined
  return (head) => {
    const claim = read(head)
    if (!claim) return 'a header is missing, malformed, or its timestamp too far off'
    return (body) => {
      object ??= createSecretKey(typeof key === 'string' ? Buffer.from(key) : key)
      const hmac = createHmac('sha256', object)
      // Node hands out header text as latin1: this way the same bytes are signed.
      if (claim.prefix !== '') hmac.update(claim.prefix, 'latin1')
      const digest = hmac.update(body).digest()
      return claim.digests.some((claimed) => equal(claimed, digest)) || 'no secret of the route gives this signature'
    }
  }
}

/** The digest that a sender computes. */
export const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
