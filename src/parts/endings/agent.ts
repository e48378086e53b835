/** Accepts an agent run: the event is committed before the answer, the agent starts after it. */

import { randomUUID } from 'node:crypto'
import type { Opened } from '../../core/exchange.ts'
import { StoreFault } from '../../core/fault.ts'
import { type Outcome, refuse } from '../../core/outcome.ts'
import { claimOf, duplicate } from '../claim.ts'
import { compileMessage, type Message } from '../message.ts'
import type { EndingPart } from '../part.ts'

const retryAfterSeconds = 5

export const agent: EndingPart = {
  name: 'agent',
  fits: (route) => route.deliver_only !== true && route.cron_job === undefined && route.coalesce === undefined,
  compile(route, kit) {
    const { effects } = kit
    const message = compileMessage(route, kit)
    const accept = async (opened: Opened, { text, delivery }: Message): Promise<Outcome> => {
      if (!effects.hasRoom()) return refuse('overloaded', { retryAfterSeconds, detail: 'the queue of accepted runs is full' })
      const { route: name, profile, eventType: event, deliveryId, at } = opened
      const eventId = randomUUID()
      try {
        const claimed = await effects.store.accept(
          { eventId, profile, route: name, event, deliveryId, prompt: text, delivery, acceptedAt: at },
          claimOf(opened, effects.clock.monotonic()),
        )
        if (!claimed) return duplicate(opened)
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error
        // Perhaps it was committed all the same: the worker looks as soon as the store works again.
        effects.wake()
        return refuse('unavailable', { retryAfterSeconds, detail: error.message })
      }
      effects.wake()
      return { kind: 'accepted', route: name, event, deliveryId, eventId }
    }
    return (opened) => {
      const rendered = message(opened)
      return rendered instanceof Promise ? rendered.then((ready) => accept(opened, ready)) : accept(opened, rendered)
    }
  },
}
