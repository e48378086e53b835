/**
 * GitLab: each request has a header with a token that must equal the secret, and the body is not signed. Where the webhook has a signing
 * token (`whsec_…`), its requests are signed by Standard Webhooks, with or without the header of the token
 * (https://docs.gitlab.com/user/project/integrations/webhooks/).
 */

import { createHash } from 'node:crypto'
import { header } from '../../core/headers.ts'
import type { Headers, RequestBody } from '../../core/request.ts'
import { isSameSecret } from '../../secrets/same-secret.ts'
import { gitlabEvents, shortTitle } from '../known-events.ts'
import { checkStandard } from './kit/standard-check.ts'
import type { Scheme } from './scheme.ts'

const tokenHeaders = ['x-gitlab-token', 'x-hostb-token'] as const
const eventHeaders = ['x-gitlab-event', 'x-hostb-event'] as const
const isSigned = (headers: Headers): boolean => header(headers, 'webhook-signature') !== undefined

/**
 * GitLab before 17.4 sends no Idempotency-Key. Its event UUID is the same for a repeat, but also for events that an event led to. So it
 * names an event only together with the body.
 */
const repeatOfOlder = (headers: Headers, { bytes }: RequestBody): string | undefined => {
  const uuid = header(headers, 'x-gitlab-event-uuid')
  return uuid && `${uuid}:${createHash('sha256').update(bytes).digest('base64url')}`
}

/** The types whose name in the payload has other words than the title has. */
const otherWords: { readonly [title: string]: readonly string[] } = {
  issue: ['issue', 'work_item'],
  job: ['build'],
  resource_access_token: ['access_token'],
  resource_deploy_token: ['deploy_token'],
}
const knownTitles: ReadonlySet<string> = new Set(gitlabEvents.names)

const shortTypesOf = (title: string): readonly string[] | undefined => {
  const short = shortTitle(title)
  // The header of a system hook says nothing of the event.
  if (short === undefined || short === 'system' || !knownTitles.has(title)) return undefined
  return Object.hasOwn(otherWords, short) ? otherWords[short] : [short]
}

export const gitlab: Scheme = {
  name: 'gitlab',
  title: 'GitLab token',
  waitsSeconds: 10,
  repeats: {
    byItself: true,
    how: 'under the same `Idempotency-Key`; a hook that fails several times in a row is paused, or disabled after answers of 4xx',
  },
  aliases: ['host-b', 'hostb'],
  shows: (headers) =>
    header(headers, ...tokenHeaders) !== undefined || (isSigned(headers) && header(headers, ...eventHeaders) !== undefined),
  compile(secret) {
    const expected = Buffer.from(secret)
    const checkSignature = secret.startsWith('whsec_') ? checkStandard(secret, 'webhook-') : undefined
    return (head) => {
      const { headers } = head
      if (checkSignature && isSigned(headers)) return checkSignature(head)
      // A wrong token is refused before the body is read. Node decodes headers as latin1, so encoding the header as latin1 gives the bytes
      // that were sent.
      return isSameSecret(Buffer.from(header(headers, ...tokenHeaders) ?? '', 'latin1'), expected)
        ? () => true
        : 'the token is not the secret'
    }
  },
  secretHeaders: tokenHeaders,
  events: gitlabEvents,
  eventTypeHeaders: [...eventHeaders],
  shortTypeField: 'object_kind',
  shortTypesOf,
  // Each try of an event has the same Idempotency-Key. A signature covers webhook-id but not Idempotency-Key, so webhook-id is the id of a
  // signed request.
  reads: {
    deliveryId: (headers) => header(headers, isSigned(headers) ? 'webhook-id' : 'idempotency-key'),
    repeatId: repeatOfOlder,
  },
  sign: ({ secret, body, id, event }) => ({
    headers: {
      ...(event === undefined ? {} : { 'X-Gitlab-Event': event }),
      'Idempotency-Key': id,
      // Node encodes headers as latin1. So the bytes that it sends are the UTF-8 bytes of the secret.
      'X-Gitlab-Token': Buffer.from(secret, 'utf8').toString('latin1'),
    },
    body,
  }),
}
