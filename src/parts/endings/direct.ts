/** Sends the expanded prompt itself, and answers when it is delivered (spec: Direct delivery). */

import type { Opened } from '../../core/exchange.ts'
import { messageOf, StoreFault } from '../../core/fault.ts'
import { type Outcome, refuse } from '../../core/outcome.ts'
import { unavailable } from '../accept.ts'
import { claimOf, duplicate } from '../claim.ts'
import { compileMessage, type Message } from '../message.ts'
import type { EndingPart, StageKit } from '../part.ts'

/** Senders give up after about ten seconds; an answer later than that would be a repeat. */
const budgetMs = 9_000

export const direct: EndingPart = {
  name: 'direct',
  fits: (route) => route.deliver_only === true,
  compile(route, kit) {
    const message = compileMessage(route, kit)
    return async (opened) => {
      const rendered = await message(opened)
      const claim = claimOf(opened, kit.effects.clock.monotonic())
      try {
        if (!(await kit.effects.store.claim(claim))) return duplicate(opened)
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error
        return unavailable(error)
      }
      return deliver(opened, rendered, claim.key, kit)
    }
  },
}

const deliver = async (opened: Opened, { text, delivery }: Message, key: string, { effects }: StageKit): Promise<Outcome> => {
  const { route, profile, deliveryId } = opened
  const sent = await effects.send({ text, profile, route, deliveryId, delivery, budgetMs })
  try {
    await effects.store.settle(key, sent.ok)
  } catch (error) {
    // What was sent is sent: the sender's answer is the truth, at worst a repeat within the hour is not recognised.
    effects.log('error', { route, delivery_id: deliveryId, reason: messageOf(error) }, 'delivery id not recorded')
  }
  if (!sent.ok) return refuse('delivery_failed', { detail: sent.why })
  return { kind: 'delivered', route, target: delivery.target, deliveryId }
}
