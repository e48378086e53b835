/** The generic schemes, for senders without a scheme of their own. V2 signs a timestamp and the body, V1 signs the body only. */

import { header } from '../../core/headers.ts'
import { checkHmac, hexDigest, hmac, sentBodyHmac } from './kit/hmac.ts'
import { whyNotFresh } from './kit/timestamp.ts'
import type { Scheme, Unsigned } from './scheme.ts'

/**
 * Returns the headers of a test request for the id and the type of its event. The generic schemes have no header for the type, so the
 * request has GitHub's header.
 */
const idAndTypeHeaders = ({ id, event }: Unsigned) => ({ ...(event === undefined ? {} : { 'X-GitHub-Event': event }), 'X-Request-ID': id })

export const v2: Scheme = {
  name: 'v2',
  title: 'Generic V2, with a timestamp',
  signatureIn: { headers: ['x-webhook-signature-v2'] },
  shows: (headers) => header(headers, 'x-webhook-signature-v2') !== undefined,
  compile: (secret) =>
    checkHmac(secret, ({ headers, at }) => {
      const timestamp = header(headers, 'x-webhook-timestamp')
      const digest = hexDigest(header(headers, 'x-webhook-signature-v2') ?? '')
      if (!digest) return 'x-webhook-signature-v2 is not 64 hex digits'
      return whyNotFresh('x-webhook-timestamp', timestamp, at) ?? { prefix: `${timestamp}.`, digests: [digest] }
    }),
  byHand: {
    how: 'X-Webhook-Signature-V2: hex HMAC-SHA256 of "<X-Webhook-Timestamp>.<body>"',
    signed: '$t.$b',
    headers: { 'X-Webhook-Timestamp': '$t', 'X-Webhook-Signature-V2': '$hmac' },
  },
  sign(request) {
    const { secret, body, at } = request
    const seconds = Math.floor(at / 1000)
    const signature = hmac(secret, `${seconds}.${body}`).toString('hex')
    return { headers: { ...idAndTypeHeaders(request), 'X-Webhook-Timestamp': String(seconds), 'X-Webhook-Signature-V2': signature }, body }
  },
}

export const v1: Scheme = {
  name: 'v1',
  title: 'Generic V1, no replay protection',
  signatureIn: { headers: ['x-webhook-signature'] },
  shows: (headers) => header(headers, 'x-webhook-signature') !== undefined,
  compile: (secret) =>
    checkHmac(secret, ({ headers }) =>
      sentBodyHmac(hexDigest(header(headers, 'x-webhook-signature') ?? ''), 'x-webhook-signature is not 64 hex digits'),
    ),
  sign(request) {
    const { secret, body } = request
    return { headers: { ...idAndTypeHeaders(request), 'X-Webhook-Signature': hmac(secret, body).toString('hex') }, body }
  },
  deprecated: 'X-Webhook-Signature (generic V1) has no replay protection: let the sender use X-Webhook-Signature-V2',
}
