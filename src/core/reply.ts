/** Turns each Outcome into status, body and headers (rules: Replies 1). */

import type { Outcome, Refused, Reply } from './outcome.ts'
import { outcomeStatus, refusalRow } from './outcome-table.ts'

const jsonType = 'application/json; charset=utf-8'

/** Makes the answer to a request that was not taken: `{"error": …}`. */
export const errorReply = (status: number, error: string, headers?: Reply['headers']): Reply => ({
  status,
  body: JSON.stringify({ error }),
  type: jsonType,
  ...(headers ? { headers } : {}),
})

const refusalReply = (refused: Refused): Reply => {
  const { status, sentence, isPlain, headers: usual } = refusalRow(refused)
  const own = refused.allow === undefined ? usual : { ...usual, Allow: refused.allow }
  const headers = refused.retryAfterSeconds === undefined ? own : { 'Retry-After': String(refused.retryAfterSeconds), ...own }
  if (isPlain) return { status, body: sentence, type: 'text/plain', ...(headers ? { headers } : {}) }
  const limit = refused.limit === undefined ? '' : `: ${refused.limit}`
  return errorReply(status, `${sentence}${refused.name ?? ''}${limit}`, headers)
}

const jsonReply = (outcome: Outcome, body: object): Reply => ({
  status: outcomeStatus(outcome),
  body: JSON.stringify(body),
  type: jsonType,
})

export const replyTo = (outcome: Outcome): Reply => {
  switch (outcome.kind) {
    case 'refused':
      return refusalReply(outcome)
    case 'ignored': {
      const { reason, route, event, deliveryId } = outcome
      const more = { ...(reason === 'event' ? { event } : {}), route, ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }) }
      return jsonReply(outcome, { status: 'ignored', reason, ...more })
    }
    case 'handshake':
      return outcome.reply
    case 'duplicate':
      return jsonReply(outcome, { status: 'duplicate', route: outcome.route, delivery_id: outcome.deliveryId })
    case 'accepted': {
      const job = outcome.cronJob === undefined ? {} : { cron_job: outcome.cronJob }
      const about = { status: 'accepted', route: outcome.route, ...job, event: outcome.event, delivery_id: outcome.deliveryId }
      return jsonReply(outcome, outcome.ended ? { ...about, ended: outcome.ended.count } : about)
    }
    case 'coalesced':
    case 'closing': {
      const about = { status: outcome.kind, route: outcome.route, event: outcome.event, delivery_id: outcome.deliveryId }
      return jsonReply(outcome, outcome.ended ? { ...about, ended: outcome.ended.count } : about)
    }
    case 'split': {
      const { route, event, deliveryId, items } = outcome
      return jsonReply(outcome, { status: 'split', route, event, delivery_id: deliveryId, items })
    }
    case 'delivered':
      return jsonReply(outcome, { status: 'delivered', route: outcome.route, target: outcome.target, delivery_id: outcome.deliveryId })
  }
}
