/** Standard Webhooks 1.0 and Svix, which differ in the names of their headers only. */

import { header } from '../../core/names.ts'
import type { Scheme } from '../part.ts'
import { fresh } from '../timestamp.ts'

const base64Digest = /^[A-Za-z0-9+/]{43}=$/
const base64Key = /^[A-Za-z0-9+/]+={0,2}$/
/** A sender that rotates keys sends two or three signatures; more is noise. */
const maxSignatures = 16

/** The digests of a `v1,<base64> v1,<base64>` header; unknown versions are passed over, as the standard asks. */
const digestsOf = (signatures: string): Buffer[] =>
  signatures
    .split(' ', maxSignatures)
    .filter((entry) => entry.startsWith('v1,') && base64Digest.test(entry.slice(3)))
    .map((entry) => Buffer.from(entry.slice(3), 'base64'))

/** `whsec_` secrets are strict base64 after the prefix, others raw UTF-8 (contract 2, rule 2). */
const keyOf = (secret: string): Buffer | undefined => {
  if (!secret.startsWith('whsec_')) return Buffer.from(secret, 'utf8')
  const encoded = secret.slice('whsec_'.length)
  const key = Buffer.from(encoded, 'base64')
  const strict = base64Key.test(encoded) && key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  return strict && key.length > 0 ? key : undefined
}

const scheme = (name: string, prefix: string, commits: readonly string[]): Scheme => ({
  name,
  shows: (headers) => commits.some((suffix) => headers[`${prefix}${suffix}`] !== undefined),
  read(headers, at) {
    const id = header(headers, `${prefix}id`)
    const timestamp = header(headers, `${prefix}timestamp`)
    const signatures = header(headers, `${prefix}signature`)
    if (!id || !timestamp || !signatures || !fresh(timestamp, at)) return undefined
    const digests = digestsOf(signatures)
    return digests.length > 0 ? { kind: 'hmac', prefix: `${id}.${timestamp}.`, digests } : undefined
  },
  key: keyOf,
  signedId: (headers) => header(headers, `${prefix}id`),
})

/** The id and timestamp alone commit to nothing: code host B sends them beside its token. */
export const standardWebhooks = scheme('standard_webhooks', 'webhook-', ['signature'])
export const svix = scheme('svix', 'svix-', ['signature', 'id', 'timestamp'])
