/** GitHub: `X-Hub-Signature-256: sha256=<hex HMAC of the body>`. */

import { header } from '../../core/headers.ts'
import { githubEvents } from '../known-events.ts'
import { checkHmac, hexDigest, hmac, sentBodyHmac } from './kit/hmac.ts'
import type { Scheme } from './scheme.ts'

const name = 'x-hub-signature-256'
const prefix = 'sha256='
const malformed = `${name} is not "${prefix}" and 64 hex digits`

/** The answer to a ping. GitHub sends a ping when a webhook is made, to see whether the address answers. */
const welcome = { status: 200, body: '{"status":"handshake"}', type: 'application/json; charset=utf-8' }

export const github: Scheme = {
  name: 'github',
  title: 'GitHub',
  aliases: ['host-a', 'hosta'],
  shows: (headers) => header(headers, name) !== undefined,
  compile: (secret) =>
    checkHmac(secret, ({ headers }) => {
      const value = header(headers, name) ?? ''
      const digest = value.startsWith(prefix) ? hexDigest(value.slice(prefix.length)) : undefined
      return sentBodyHmac(digest, malformed)
    }),
  waitsSeconds: 10,
  repeats: { byItself: false, how: 'whoever administers the webhook can redeliver it for three days, under the same delivery id' },
  signatureIn: { headers: [name] },
  events: githubEvents,
  eventTypeHeaders: ['x-github-event', 'x-hosta-event'],
  idHeaders: ['x-github-delivery', 'x-hosta-delivery'],
  handshakes: [
    {
      method: 'POST',
      signed: true,
      event: 'ping',
      answer: ({ headers }) => (header(headers, 'x-github-event', 'x-hosta-event') === 'ping' ? { reply: welcome } : undefined),
    },
  ],
  sign: ({ secret, body, id, event }) => ({
    headers: {
      ...(event === undefined ? {} : { 'X-GitHub-Event': event }),
      'X-GitHub-Delivery': id,
      'X-Hub-Signature-256': `${prefix}${hmac(secret, body).toString('hex')}`,
    },
    body,
  }),
}
