/**
 * The deliveries of a webhook of CircleCI (https://circleci.com/docs/api/v3/webhook-deliveries.md), by the conventions of its API
 * (https://circleci.com/docs/api/v3/conventions.md). CircleCI marks the list as experimental, so an answer in another form is a failure,
 * never a guess. A delivery is the latest send of one event and has the event's id. The description names no call that sends an event
 * again: missing events are only reported, and a person must have them sent.
 */

import { isObject, type JsonObject, own } from '../../core/json.ts'
import { askApi, entriesOf, logApiBase, withNext } from './kit/ask-api.ts'
import type { LogEntry, SenderLogPart } from './sender-log.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const hours = 14 * 24
/** The list takes no older time. A minute is left for clocks that differ. */
const oldestMs = (hours * 60 - 1) * 60_000
const maxCursorChars = 2_000
const right = 'the token must be a personal API token of somebody who may see the webhooks of the project'

export const circleci: SenderLogPart = {
  name: 'circleci',
  title: 'CircleCI',
  schemes: ['circleci'],
  longestHours: hours,
  // Not used, because CircleCI cannot be asked to send an event again.
  perMinute: 1,
  right,
  reads: () => ['hook', 'token', 'api_base'],
  check({ token, hook }, report) {
    if (hook === undefined || !uuid.test(String(hook)))
      report(
        'WH236',
        hook === undefined ? [] : ['hook'],
        'catch_up needs the id of the webhook, which is a UUID',
        'hook: the id of the webhook',
      )
    if (token === undefined) report('WH236', [], 'catch_up needs a token of CircleCI', `token: \${CIRCLE_TOKEN}; ${right}`)
  },
  open(settings, kit) {
    const { token = '', hook } = settings
    const url = `${logApiBase(settings, 'https://circleci.com')}/api/v3/webhook/deliveries`
    const headers = { authorization: `Bearer ${token}` }
    return {
      byHand: 'resend them in CircleCI: Project Settings → Webhooks, the deliveries of the webhook',
      async read(cursor, since) {
        const from = new Date(Math.max(since, kit.clock.now() - oldestMs)).toISOString()
        const query = new URLSearchParams({ 'filter[webhook_endpoint_id]': String(hook), 'filter[from]': from })
        if (cursor !== undefined) query.append('page[cursor]', cursor)
        const asked = await askApi({ url: `${url}?${query}`, headers }, right, kit)
        if (!asked.ok) return asked
        const answer = isObject(asked.json) ? asked.json : {}
        const page = own(answer, 'page')
        const next = isObject(page) ? own(page, 'next') : undefined
        if (next !== null && (typeof next !== 'string' || next === '' || next.length > maxCursorChars))
          return { ok: false, why: 'the answer does not say which page is the next, or that there is none' }
        return withNext(entriesOf(own(answer, 'data'), deliveryEntry), next ?? undefined)
      },
    }
  },
}

const deliveryEntry = (delivery: JsonObject): LogEntry | undefined => {
  const [id, attributes] = [own(delivery, 'id'), own(delivery, 'attributes')]
  if (typeof id !== 'string' || !uuid.test(id) || !isObject(attributes)) return undefined
  const [at, outcome] = [Date.parse(String(own(attributes, 'created_at'))), own(attributes, 'current_outcome')]
  // Without an outcome CircleCI may still try by itself. Until it has, the event counts as missing.
  if (!Number.isFinite(at) || (outcome !== 'succeeded' && outcome !== 'failed' && outcome !== null)) return undefined
  const event = String(own(attributes, 'event_type') ?? '')
  // A ping is no event.
  const isDelivered = outcome === 'succeeded' || event === 'ping'
  return { deliveryId: id, ref: '', at, event, isDelivered, isRepeat: false }
}
