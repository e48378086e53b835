/** Checks signatures of Standard Webhooks 1.0, in headers with a common prefix (https://www.standardwebhooks.com). */

import { header } from '../../../core/headers.ts'
import { whsecKey } from '../../whsec-key.ts'
import type { CheckHead } from '../scheme.ts'
import { checkHmac } from './hmac.ts'
import { whyNotFresh } from './timestamp.ts'

const base64Digest = /^[A-Za-z0-9+/]{43}=$/
/** The most signatures that are read. A sender that rotates its keys sends two or three. */
const maxSignatures = 16

/** Returns the digests in a header like `v1,<base64> v1,<base64>`. Signatures of other versions are skipped, as the standard asks. */
const digestsOf = (signatures: string): Buffer[] =>
  signatures
    .split(' ', maxSignatures)
    .filter((entry) => entry.startsWith('v1,') && base64Digest.test(entry.slice(3)))
    .map((entry) => Buffer.from(entry.slice(3), 'base64'))

/** Whether a header stood twice in the request. Node joins the two values with `, `, which no id and no list of signatures contains. */
const isJoined = (text: string): boolean => text.includes(', ')

/**
 * An id that begins with a time and a dot is refused. In the signed text, which begins with the id, it would look like the signed text
 * `<time>.<body>` of another scheme under the same secret.
 */
const beginsAsTime = /^\d{10,13}\./

/**
 * Makes the check of requests with the headers `<prefix>id`, `<prefix>timestamp` and `<prefix>signature`; `undefined` where the secret is
 * no key of Standard Webhooks.
 */
export const checkStandard = (secret: string, prefix: string): CheckHead | undefined => {
  const key = whsecKey(secret)
  if (!key) return undefined
  return checkHmac(key, ({ headers, at }) => {
    const id = header(headers, `${prefix}id`)
    const timestamp = header(headers, `${prefix}timestamp`)
    const signatures = header(headers, `${prefix}signature`)
    if (!id || !signatures) return `${prefix}${id ? 'signature' : 'id'} is missing`
    const stale = whyNotFresh(`${prefix}timestamp`, timestamp, at)
    if (stale !== undefined) return stale
    if (isJoined(id) || isJoined(signatures)) return 'one of its headers stands twice'
    if (beginsAsTime.test(id)) return `${prefix}id begins with a time`
    const digests = digestsOf(signatures)
    return digests.length > 0 ? { prefix: `${id}.${timestamp}.`, digests } : `${prefix}signature has no "v1," with 44 characters of base64`
  })
}
