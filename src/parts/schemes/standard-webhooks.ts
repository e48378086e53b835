/** Standard Webhooks 1.0 and Svix, which differ only in the names of their headers and in which headers show the scheme. */

import { exit, Fault } from '../../core/fault.ts'
import { header } from '../../core/headers.ts'
import { whsecKey } from '../whsec-key.ts'
import { hmac } from './kit/hmac.ts'
import { checkStandard } from './kit/standard-check.ts'
import type { Scheme } from './scheme.ts'

/**
 * Makes one of the two schemes. `prefix`: the beginning of the names of its headers. `shown`: the headers, each of which shows the scheme.
 */
const makeScheme = (name: string, title: string, prefix: string, shown: readonly string[]): Scheme => ({
  name,
  title,
  shows: (headers) => header(headers, ...shown) !== undefined,
  compile: (secret) => checkStandard(secret, prefix),
  badSecret: {
    message: 'the part after "whsec_" is not base64: Standard Webhooks requests will be refused',
    help: 'copy the secret again',
  },
  signedId: (headers) => header(headers, `${prefix}id`),
  signatureIn: { headers: [`${prefix}signature`] },
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

/** Only the header of the signature shows this scheme: GitLab also sends an id and a timestamp with its token. */
export const standardWebhooks: Scheme = {
  ...makeScheme('standard_webhooks', 'Standard Webhooks', 'webhook-', ['webhook-signature']),
  aliases: ['standard'],
}
export const svix: Scheme = {
  ...makeScheme('svix', 'Svix', 'svix-', ['svix-signature', 'svix-id', 'svix-timestamp']),
  senderKey: 'the signing secret of the endpoint, whsec_…; it is taken as it is shown',
  repeats: { byItself: true, how: 'after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h' },
}
