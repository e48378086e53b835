/** Linear: `Linear-Signature: <hex HMAC of the body>`, with the time of sending inside the signed body. */

import { hexDigest, utf8Key } from '../../core/digest.ts'
import { header } from '../../core/names.ts'
import type { Scheme } from './scheme.ts'

const name = 'linear-signature'

export const linear: Scheme = {
  name: 'linear',
  shows: (headers) => headers[name] !== undefined,
  read(headers) {
    const digest = hexDigest(header(headers, name) ?? '')
    return digest && { kind: 'hmac', prefix: '', digests: [digest] }
  },
  key: utf8Key,
  freshness: { field: 'webhookTimestamp', toleranceMs: 60_000 },
}
