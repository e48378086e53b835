/** How each Outcome is answered: one table, exactly contract 2. */

import type { Outcome, Refused } from '../core/outcome.ts'

export type Reply = {
  readonly status: number
  readonly body: string
  readonly type: string
  readonly headers?: { readonly [name: string]: string }
}

const jsonType = 'application/json; charset=utf-8'

/** Status and sentence of every refusal; `name` is appended where the answer names the route. */
const refusals: { readonly [code in Exclude<Refused['code'], 'delivery_failed'>]: readonly [status: number, sentence: string] } = {
  too_large: [413, 'Payload too large'],
  too_many_headers: [431, 'Too many header fields'],
  too_slow: [408, 'Request timeout'],
  unknown_route: [404, 'Unknown route: '],
  unknown_profile: [404, 'Unknown or unconfigured profile'],
  route_disabled: [403, 'Route disabled: '],
  rate_limited: [429, 'Rate limit exceeded'],
  bad_signature: [401, 'Invalid signature'],
  forbidden: [403, 'Forbidden'],
  bad_json: [400, 'Cannot parse body'],
  stopping: [503, 'Server is stopping'],
  overloaded: [503, 'Queue is full'],
  unavailable: [503, 'Store is unavailable'],
  internal: [500, 'Internal error'],
}

export const errorReply = (status: number, error: string, headers?: Reply['headers']): Reply => ({
  status,
  body: JSON.stringify({ error }),
  type: jsonType,
  ...(headers ? { headers } : {}),
})

/** The status of an end, for records of it. */
export const statusOf = (outcome: Outcome): number => {
  if (outcome.kind === 'refused') return outcome.code === 'delivery_failed' ? 502 : refusals[outcome.code][0]
  return outcome.kind === 'accepted' || outcome.kind === 'coalesced' ? 202 : 200
}

const refusalReply = (refused: Refused): Reply => {
  if (refused.code === 'delivery_failed') return { status: 502, body: 'Delivery failed', type: 'text/plain' }
  const [status, sentence] = refusals[refused.code]
  const retry = refused.retryAfterSeconds === undefined ? undefined : { 'Retry-After': String(refused.retryAfterSeconds) }
  return errorReply(status, `${sentence}${refused.name ?? ''}`, retry)
}

const reply = (outcome: Outcome, body: object): Reply => ({ status: statusOf(outcome), body: JSON.stringify(body), type: jsonType })

/** The answer to a request that ended so. */
export const replyTo = (outcome: Outcome): Reply => {
  switch (outcome.kind) {
    case 'refused':
      return refusalReply(outcome)
    case 'ignored': {
      const { reason, route, event, deliveryId } = outcome
      const more = { ...(reason === 'event' ? { event } : {}), route, ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }) }
      return reply(outcome, { status: 'ignored', reason, ...more })
    }
    case 'duplicate':
      return reply(outcome, { status: 'duplicate', route: outcome.route, delivery_id: outcome.deliveryId })
    case 'accepted': {
      const job = outcome.cronJob === undefined ? {} : { cron_job: outcome.cronJob }
      return reply(outcome, { status: 'accepted', route: outcome.route, ...job, event: outcome.event, delivery_id: outcome.deliveryId })
    }
    case 'coalesced':
      return reply(outcome, { status: 'coalesced', route: outcome.route, event: outcome.event, delivery_id: outcome.deliveryId })
    case 'delivered':
      return reply(outcome, { status: 'delivered', route: outcome.route, target: outcome.target, delivery_id: outcome.deliveryId })
  }
}
