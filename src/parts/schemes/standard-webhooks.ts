/** Standard Webhooks 1.0 and Svix, which differ only in the names of their headers and in which headers show the scheme. */

import { exit, Fault } from '../../core/fault.ts'
import { header } from '../../core/names.ts'
import { whsecKey } from '../whsec-key.ts'
import { checkHmac, hmac } from './kit/hmac.ts'
import { whyNotFresh } from './kit/timestamp.ts'
import type { Scheme } from './scheme.ts'

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

/** `shown`: the headers of which each shows the scheme. */
const scheme = (name: string, title: string, prefix: string, shown: readonly string[]): Scheme => ({
  name,
  title,
  shows: (headers) => header(headers, ...shown) !== undefined,
  compile(secret) {
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
      const digests = digestsOf(signatures)
      return digests.length > 0
        ? { prefix: `${id}.${timestamp}.`, digests }
        : `${prefix}signature has no "v1," with 44 characters of base64`
    })
  },
  badSecret: {
    message: 'the part after "whsec_" is not base64: Standard Webhooks requests will be refused',
    help: 'copy the secret again',
  },
  signedId: (headers) => header(headers, `${prefix}id`),
  idHeaders: [`${prefix}id`],
  sign({ secret, body, id, at, event }) {
    const key = whsecKey(secret)
    if (!key) throw new Fault('bad_secret', 'a whsec_ secret must be base64 after its prefix', { exitCode: exit.no })
    const seconds = Math.floor(at / 1000)
    return {
      headers: {
        ...(event === undefined ? {} : { 'X-GitHub-Event': event }),
        [`${prefix}id`]: id,
        [`${prefix}timestamp`]: String(seconds),
        [`${prefix}signature`]: `v1,${hmac(key, `${id}.${seconds}.${body}`).toString('base64')}`,
      },
      body,
    }
  },
})

/** Only the signature header shows this scheme, because code host B sends id and timestamp headers with its token. */
export const standardWebhooks: Scheme = {
  ...scheme('standard_webhooks', 'Standard Webhooks', 'webhook-', ['webhook-signature']),
  aliases: ['standard'],
}
export const svix = scheme('svix', 'Svix', 'svix-', ['svix-signature', 'svix-id', 'svix-timestamp'])
