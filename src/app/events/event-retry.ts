/** The stored work of dead runs again, from its first attempt. */

import type { RunningGateway } from '../running-gateway.ts'
import { type Counting, each, type Result } from './event-batch.ts'
import { standingsOf } from './events.ts'
import type { KnownEvent } from './known-event.ts'

export type RetryPlan = { readonly dead: readonly KnownEvent[]; readonly others: readonly Result[] }

/** Only dead runs start again; of a selection the others are none of it, of given ids they are failures. */
export const planRetry = async (gateway: RunningGateway, events: readonly KnownEvent[], isSelection: boolean): Promise<RetryPlan> => {
  const standings = await standingsOf(
    gateway,
    events.map(({ event }) => event),
  )
  const isDead = ({ event }: KnownEvent): boolean => standings.get(event.event_id)?.state === 'dead'
  const others = isSelection ? [] : events.filter((known) => !isDead(known)).map((known) => ({ known, ok: false, why: whyNot(known) }))
  return { dead: events.filter(isDead), others }
}

const whyNot = ({ event, state }: KnownEvent): string => {
  if (state === 'waiting' || state === 'running') return `it is not dead: ${state}`
  if (state === 'dead') return 'its stored work is not kept any more: events replay starts it anew'
  // A new id would send it to those of a list that have it, too.
  if (event.outcome === 'delivery_failed')
    return 'its sender was told, and may repeat it; events replay --same-id sends it to those without it'
  return `no dead run is kept of it (${state}): events replay starts it anew`
}

export const retryEvents = (gateway: RunningGateway, { dead }: RetryPlan, counting: Counting): Promise<readonly Result[]> =>
  each(
    dead,
    async ({ event }) =>
      (await gateway.retry({ id: event.event_id })).retried ? { ok: true } : { ok: false, why: 'it is not dead any more' },
    counting,
  )
