/** Stored requests of several events through the configuration of the running gateway. */

import type { ControlQuestions } from '../../generated/control.ts'
import type { RunningGateway } from '../running-gateway.ts'
import { type Counting, each, type Result } from './event-batch.ts'
import type { KnownEvent } from './known-event.ts'

/** Those whose request was kept: only they can be replayed. */
export const replayable = (events: readonly KnownEvent[]): readonly KnownEvent[] => events.filter(({ event }) => event.raw !== undefined)

/** One that its route refuses now has failed. */
export const replayEvents = (
  gateway: RunningGateway,
  events: readonly KnownEvent[],
  how: Omit<ControlQuestions['replay'], 'id'>,
  counting: Counting,
): Promise<readonly Result[]> =>
  each(
    events,
    async ({ event }) => {
      const replayed = await gateway.replay({ ...how, id: event.event_id })
      return replayed.found ? { ok: replayed.status < 400, replayed } : { ok: false, why: replayed.why }
    },
    counting,
  )
