/** The generic schemes: V2 signs a timestamp with the body, V1 the body alone. */

import { hexDigest, utf8Key } from '../../core/digest.ts'
import { header } from '../../core/names.ts'
import { fresh } from './kit/timestamp.ts'
import type { Scheme } from './scheme.ts'

export const v2: Scheme = {
  name: 'v2',
  shows: (headers) => headers['x-webhook-signature-v2'] !== undefined,
  read(headers, at) {
    const timestamp = header(headers, 'x-webhook-timestamp') ?? ''
    const digest = hexDigest(header(headers, 'x-webhook-signature-v2') ?? '')
    return digest && fresh(timestamp, at) ? { kind: 'hmac', prefix: `${timestamp}.`, digests: [digest] } : undefined
  },
  key: utf8Key,
}

export const v1: Scheme = {
  name: 'v1',
  shows: (headers) => headers['x-webhook-signature'] !== undefined,
  read(headers) {
    const digest = hexDigest(header(headers, 'x-webhook-signature') ?? '')
    return digest && { kind: 'hmac', prefix: '', digests: [digest] }
  },
  key: utf8Key,
  deprecated: 'X-Webhook-Signature (generic V1) has no replay protection: let the sender use X-Webhook-Signature-V2',
}
