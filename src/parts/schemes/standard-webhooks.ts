/** Standard Webhooks 1.0 and Svix, which differ in the names of their headers only. */

import { whsecKey } from '../../core/digest.ts'
import { header } from '../../core/names.ts'
import { fresh } from './kit/timestamp.ts'
import type { Scheme } from './scheme.ts'

const base64Digest = /^[A-Za-z0-9+/]{43}=$/
/** A sender that rotates keys sends two or three signatures; more is noise. */
const maxSignatures = 16

/** The digests of a `v1,<base64> v1,<base64>` header; unknown versions are passed over, as the standard asks. */
const digestsOf = (signatures: string): Buffer[] =>
  signatures
    .split(' ', maxSignatures)
    .filter((entry) => entry.startsWith('v1,') && base64Digest.test(entry.slice(3)))
    .map((entry) => Buffer.from(entry.slice(3), 'base64'))

/** Node joins a header that stands twice like this; no id and no list of signatures has a comma before a blank. */
const isJoined = (text: string): boolean => text.includes(', ')

const scheme = (name: string, prefix: string, commits: readonly string[]): Scheme => ({
  name,
  shows: (headers) => commits.some((suffix) => headers[`${prefix}${suffix}`] !== undefined),
  read(headers, at) {
    const id = header(headers, `${prefix}id`)
    const timestamp = header(headers, `${prefix}timestamp`)
    const signatures = header(headers, `${prefix}signature`)
    if (!id || !timestamp || !signatures || !fresh(timestamp, at) || isJoined(id) || isJoined(signatures)) return undefined
    const digests = digestsOf(signatures)
    return digests.length > 0 ? { kind: 'hmac', prefix: `${id}.${timestamp}.`, digests } : undefined
  },
  key: whsecKey,
  signedId: (headers) => header(headers, `${prefix}id`),
})

/** The id and timestamp alone commit to nothing: code host B sends them beside its token. */
export const standardWebhooks = scheme('standard_webhooks', 'webhook-', ['signature'])
export const svix = scheme('svix', 'svix-', ['signature', 'id', 'timestamp'])
