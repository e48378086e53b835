/** Checks what Standard Webhooks 1.0 signs, under headers whose names begin alike (https://www.standardwebhooks.com). */

import { header } from '../../../core/headers.ts'
import { whsecKey } from '../../whsec-key.ts'
import type { CheckHead } from '../scheme.ts'
import { checkHmac } from './hmac.ts'
import { whyNotFresh } from './timestamp.ts'

const base64Digest = /^[A-Za-z0-9+/]{43}=$/
/** A sender that rotates its keys sends two or three signatures. More than this many are not read. */
const maxSignatures = 16

/** The digests in a header like `v1,<base64> v1,<base64>`. Signatures of other versions are skipped, as the standard asks. */
const digestsOf = (signatures: string): Buffer[] =>
  signatures
    .split(' ', maxSignatures)
    .filter((entry) => entry.startsWith('v1,') && base64Digest.test(entry.slice(3)))
    .map((entry) => Buffer.from(entry.slice(3), 'base64'))

/** Whether a header was sent twice. Node joins the two values with `, `, which no id and no list of signatures contains. */
const isJoined = (text: string): boolean => text.includes(', ')

/** Such an id could be the time of a text that another scheme signed, and the rest of that text the id's own. */
const beginsAsTime = /^\d{10,13}\./

/** `undefined` for a secret that is no key. */
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
