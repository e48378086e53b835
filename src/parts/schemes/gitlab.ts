/** Code host B: each request has a token header that must equal the secret, and the body is not signed. */

import { header } from '../../core/names.ts'
import { equal } from './kit/equal.ts'
import type { Scheme } from './scheme.ts'

const names = ['x-gitlab-token', 'x-hostb-token'] as const

export const gitlab: Scheme = {
  name: 'gitlab',
  title: 'GitLab token (code host B)',
  aliases: ['host-b', 'hostb'],
  shows: (headers) => header(headers, ...names) !== undefined,
  compile(secret) {
    const expected = Buffer.from(secret)
    // A wrong token is refused before the body is read. Node decodes headers as latin1, so encoding as latin1 gives the bytes sent.
    return ({ headers }) =>
      equal(Buffer.from(header(headers, ...names) ?? '', 'latin1'), expected) ? () => true : 'the token is not the secret'
  },
  eventTypeHeaders: ['x-gitlab-event', 'x-hostb-event'],
  shortTypeField: 'object_kind',
  sign: ({ secret, body, id, event }) => ({
    headers: {
      ...(event === undefined ? {} : { 'X-Gitlab-Event': event }),
      'X-Request-ID': id,
      // Node encodes headers as latin1, so the bytes sent are the UTF-8 bytes of the secret.
      'X-Gitlab-Token': Buffer.from(secret, 'utf8').toString('latin1'),
    },
    body,
  }),
}
