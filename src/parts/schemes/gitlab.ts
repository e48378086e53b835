/** Code host B: a token header that equals the secret; nothing of the body is signed. */

import { utf8Key } from '../../core/digest.ts'
import { header } from '../../core/names.ts'
import type { Scheme } from './scheme.ts'

const names = ['x-gitlab-token', 'x-hostb-token'] as const

export const gitlab: Scheme = {
  name: 'gitlab',
  shows: (headers) => names.some((name) => headers[name] !== undefined),
  // Node reads header bytes as latin1; the same bytes go into the comparison.
  read: (headers) => ({ kind: 'token', token: Buffer.from(header(headers, ...names) ?? '', 'latin1') }),
  key: utf8Key,
}
