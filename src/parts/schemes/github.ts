/** Code host A: `X-Hub-Signature-256: sha256=<hex HMAC of the body>`. */

import { hexDigest, utf8Key } from '../../core/digest.ts'
import { header } from '../../core/names.ts'
import type { Scheme } from './scheme.ts'

const name = 'x-hub-signature-256'

export const github: Scheme = {
  name: 'github',
  shows: (headers) => headers[name] !== undefined,
  read(headers) {
    const value = header(headers, name) ?? ''
    const digest = value.startsWith('sha256=') ? hexDigest(value.slice('sha256='.length)) : undefined
    return digest && { kind: 'hmac', prefix: '', digests: [digest] }
  },
  key: utf8Key,
}
