/**
 * Lets an event that was pulled from its sender's API through the plan of its route, after the check of the signature: nobody signed the
 * event, and the API vouched for it over TLS. Filters, duplicates and the ending see it as if it had come, and its record is marked.
 */

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { emitRequest } from '../../core/facts/emit-request.ts'
import type { Facts } from '../../core/facts/facts.ts'
import { originHeader, pulled } from '../../core/headers.ts'
import { type Outcome, refuse } from '../../core/outcome.ts'
import type { Headers, VerifiedRequest } from '../../core/request.ts'
import { runVerified } from '../../engine/run.ts'
import type { ServedRoute } from '../../plan/table.ts'

/** The headers by which people and filters know a pulled event. */
const marks = { 'content-type': 'application/json', [originHeader]: pulled }

/** `headers`: those that the sender gave besides. `claimMs`: for how long the delivery id is kept at least. */
type PulledEvent = {
  readonly body: string
  readonly deliveryId: string
  readonly headers?: Headers
  readonly claimMs?: number
}

/** Resolves to how the event ended; `undefined` where the route is disabled. */
export type TakePulled = (served: ServedRoute, event: PulledEvent) => Promise<Outcome | undefined>

/** `maxBodyBytes`: returns the most bytes of a body that the gateway takes. */
type PulledOptions = { readonly clock: Clock; readonly facts: Pick<Facts, 'emit'>; readonly maxBodyBytes: () => number }

export const takePulled =
  ({ clock, facts, maxBodyBytes }: PulledOptions): TakePulled =>
  async ({ plan: planOf }, { body, deliveryId, headers: given = {}, claimMs }) => {
    const plan = planOf?.()
    if (!plan) return undefined
    plan.scope.hold()
    try {
      const headers = { ...given, ...marks }
      const request: VerifiedRequest = {
        eventId: randomUUID(),
        pathAndQuery: `/webhooks/${plan.name}`,
        headers,
        remote: () => pulled,
        at: clock.now(),
        body: Buffer.from(body),
        isPulled: true,
        verification: { scheme: pulled, secret: 0, signedId: deliveryId },
        ...(claimMs === undefined ? {} : { kept: { id: deliveryId, claimMs } }),
      }
      const isTooLarge = request.body.length > maxBodyBytes()
      const ended = isTooLarge ? { outcome: refuse('too_large'), stage: 'body_size', verified: request } : await runVerified(plan, request)
      emitRequest(facts, { kind: 'request_ended', ended, route: plan, headers, remote: request.remote, ms: () => 0 })
      return ended.outcome
    } finally {
      plan.scope.release()
    }
  }
