/**
 * The events of Stripe's API (https://docs.stripe.com/api/events/list). Stripe repeats for three days by itself, and keeps events for
 * thirty. It sends nothing again when it is asked, so the events are pulled: over TLS with an API key, and without a signature.
 */

import { exactJson } from '../../core/exact-json.ts'
import { isObject, type JsonObject, own } from '../../core/json.ts'
import { renderJson } from '../../expr/render.ts'
import { askApi, entriesOf, logApiBase, withNext } from './kit/ask-api.ts'
import type { LogEntry, SenderLogPart } from './sender-log.ts'

const pageSize = 100
const maxTypes = 20
const right = 'the key must be a secret key or a restricted key that may read events: the whsec_ secret does not serve'

export const stripe: SenderLogPart = {
  name: 'stripe',
  title: 'Stripe',
  schemes: ['stripe'],
  longestHours: 720,
  perMinute: 60,
  right,
  reads: () => ['token', 'api_base', 'per_minute'],
  check({ token }, report) {
    if (token === undefined) report('WH236', [], 'catch_up needs an API key of Stripe', `token: \${STRIPE_API_KEY}; ${right}`)
  },
  open(settings, kit) {
    const { token = '' } = settings
    const url = `${logApiBase(settings, 'https://api.stripe.com')}/v1/events`
    const headers = { authorization: `Bearer ${token}` }
    const types = kit.events.every((type) => /^[a-z0-9_.]+$/.test(type)) && kit.events.length <= maxTypes ? kit.events : []
    return {
      async read(cursor, since) {
        // Stripe names events that are still to be delivered, or could not be, to one of all endpoints.
        const query = new URLSearchParams({ limit: String(pageSize), delivery_success: 'false' })
        query.append('created[gte]', String(Math.floor(since / 1_000)))
        for (const type of types) query.append('types[]', type)
        if (cursor !== undefined) query.append('starting_after', cursor)
        const asked = await askApi({ url: `${url}?${query}`, headers }, right, kit)
        if (!asked.ok) return asked
        // The events become requests, so their numbers keep their digits.
        const read = exactJson(asked.answer.text.trim() || '{}')
        const list = isObject(read) ? (read as JsonObject) : {}
        const page = entriesOf(own(list, 'data'), eventEntry)
        const last = page.ok && own(list, 'has_more') === true ? page.entries.at(-1) : undefined
        return withNext(page, last?.deliveryId)
      },
    }
  },
}

const eventEntry = (event: JsonObject): LogEntry | undefined => {
  const [id, created, type] = [own(event, 'id'), own(event, 'created'), own(event, 'type')]
  if (typeof id !== 'string' || !/^evt_\w{1,100}$/.test(id) || typeof created !== 'number') return undefined
  const body = renderJson(event, Number.POSITIVE_INFINITY, 0)
  return { deliveryId: id, ref: '', at: created * 1_000, event: String(type ?? ''), isDelivered: false, isRepeat: false, body }
}
