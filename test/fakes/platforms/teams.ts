/** Stands in for Microsoft Teams: the trigger of a workflow, which takes adaptive cards only. */

import { isObject, type Json, own } from '../../../src/core/json.ts'
import type { Double, Reply } from './double.ts'

const path = '/workflows/canary-teams-flow/triggers/manual/paths/invoke'
const hook = (origin: string, sig = 'canary-teams-signature'): string =>
  `${origin}${path}?api-version=2016-06-01&sp=%2Ftriggers&sv=1.0&sig=${sig}`

const refuse = (status: number, code: string, message: string): Reply => ({ status, body: { error: { code, message } } })

const first = (value: Json | undefined): Json | undefined => (Array.isArray(value) && value.length === 1 ? value[0] : undefined)
const at = (value: Json | undefined, key: string): Json | undefined => (isObject(value) ? own(value, key) : undefined)

export const teams: Double = {
  target: 'teams',
  settings: (origin) => ({ webhook_url: hook(origin) }),
  env: (origin) => ({ TEAMS_INCOMING_WEBHOOK_URL: hook(origin) }),
  wrong: (origin) => ({ webhook_url: hook(origin, 'canary-teams-wrong-signature') }),
  chat: 'channel',
  ownChat: true,
  limit: { max: 20_000, unit: 'json' },
  idempotent: false,
  posts: () => true,
  answer(request, accept) {
    if (request.path !== path || request.method !== 'POST') return refuse(404, 'WorkflowNotFound', 'The workflow could not be found.')
    const sig = request.query.get('sig')
    if (sig !== 'canary-teams-signature') return refuse(401, 'DirectApiAuthorizationRequired', `The signature ${sig} is not valid.`)
    // Without a charset, Teams would count the text as UTF-16.
    if (!request.headers['content-type']?.endsWith('charset=utf-8')) return refuse(400, 'InvalidRequestContent', 'The charset is missing.')
    if (Buffer.byteLength(request.text) > 28 * 1024) return refuse(413, 'RequestEntityTooLarge', 'The message is too large.')
    const attachment = first(request.json?.attachments)
    const card = at(attachment, 'content')
    const block = first(at(card, 'body'))
    const isCard = at(attachment, 'contentType') === 'application/vnd.microsoft.card.adaptive' && at(card, 'type') === 'AdaptiveCard'
    const text = at(block, 'type') === 'TextBlock' && at(block, 'wrap') === true ? at(block, 'text') : undefined
    if (request.json?.type !== 'message' || !isCard || at(card, 'version') !== '1.4' || typeof text !== 'string' || text.trim() === '')
      return refuse(400, 'TriggerInputSchemaMismatch', "The input body for trigger 'manual' did not match its schema definition.")
    accept({ chat: 'channel', text })
    return { status: 202 }
  },
  limited: { reply: { ...refuse(429, 'TooManyRequests', 'Rate limit is exceeded.'), headers: { 'retry-after': '2' } }, waitMs: 2000 },
  hidden: {
    status: 200,
    body: 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 404 with ContextId tcid=1',
  },
  hostile: [{ text: 'due {{DATE(2017-02-14T06:08:39Z, SHORT)}} {{{TIME(x)}}}', never: /\{\{/ }],
  harmless: ({ text }) => !/"(?:msteams|entities)"/.test(text),
}
