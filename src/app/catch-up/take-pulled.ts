/**
 * Lets an event that was pulled from its sender's log through the plan of its route, after the check of the signature: nobody signed it,
 * and the sender's API vouched for it over TLS. Filters, duplicates and the ending see it as if it had come, and its record is marked.
 */

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { Facts } from '../../core/facts/facts.ts'
import { tellRequest } from '../../core/facts/tell-request.ts'
import { outcomeName, outcomeReason, outcomeStatus } from '../../core/outcome-table.ts'
import type { VerifiedRequest } from '../../core/request.ts'
import { resume } from '../../engine/run.ts'
import type { CatchUpOptions } from './catch-up.ts'

/** The scheme that records name for a pulled event, and the header by which people and filters know it. */
const pulled = 'pulled'
const headers = { 'content-type': 'application/json', 'x-headgate-origin': pulled }

type PulledOptions = { readonly clock: Clock; readonly facts: Pick<Facts, 'tell'> }

export const takePulled =
  ({ clock, facts }: PulledOptions): CatchUpOptions['take'] =>
  async ({ plan: planOf }, { body, deliveryId }) => {
    const plan = planOf?.()
    if (!plan) return 'the route is disabled'
    plan.owner.hold()
    try {
      const request: VerifiedRequest = {
        eventId: randomUUID(),
        pathAndQuery: `/webhooks/${plan.name}`,
        headers,
        remote: () => pulled,
        at: clock.now(),
        body: Buffer.from(body),
        verification: { scheme: pulled, secret: 0, signedId: deliveryId },
      }
      const ended = await resume(plan, request)
      tellRequest(facts, { kind: 'request_ended', ended, route: plan, headers, remote: request.remote, ms: () => 0 })
      const { outcome } = ended
      return outcomeStatus(outcome) < 400 ? undefined : `${outcomeName(outcome)}: ${outcomeReason(outcome) ?? ''}`
    } finally {
      plan.owner.release()
    }
  }
