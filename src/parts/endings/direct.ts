/** Sends the expanded prompt itself, and answers when it is delivered (spec: Direct delivery). */

import type { Opened } from '../../core/exchange.ts'
import { messageOf, StoreFault } from '../../core/fault.ts'
import { type Outcome, refuse } from '../../core/outcome.ts'
import type { Delivery, Destination } from '../../store/ports.ts'
import { unavailable } from '../accept.ts'
import { claimOf, duplicate } from '../claim.ts'
import { deliveriesOf } from '../delivery.ts'
import { compileMessage, type Message } from '../message.ts'
import type { Effects, EndingPart, Outgoing, StageKit } from '../part.ts'

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
  const { done, why } = await sendTo(delivery, effects, { text, profile, route, deliveryId })
  try {
    await effects.store.settle(key, done.length > 0)
  } catch (error) {
    // What was sent is sent: the sender's answer is the truth, at worst a repeat within the hour is not recognised.
    effects.log('error', { route, delivery_id: deliveryId, reason: messageOf(error) }, 'delivery id not recorded')
  }
  return done.length > 0 ? { kind: 'delivered', route, target: done.join(', '), deliveryId } : refuse('delivery_failed', { detail: why })
}

type Result = { readonly done: readonly string[]; readonly why: string }

/** Which targets have it, when the mode's condition holds; none and why not, when it does not. */
const sendTo = async (
  destination: Destination,
  { send, clock }: Effects,
  about: Omit<Outgoing, 'delivery' | 'place' | 'budgetMs'>,
): Promise<Result> => {
  const deadline = clock.monotonic() + budgetMs
  const sendOne = async (delivery: Delivery, place: number): Promise<string | undefined> => {
    const sent = await send({ ...about, delivery, place, budgetMs: Math.max(1, Math.floor(deadline - clock.monotonic())) })
    return sent.ok ? undefined : `${delivery.target}: ${sent.why}`
  }
  const to = deliveriesOf(destination)
  if (!('to' in destination) || destination.mode === 'all') {
    const failed = (await Promise.all(to.map(sendOne))).filter((why) => why !== undefined)
    return { done: failed.length > 0 ? [] : to.map(({ target }) => target), why: failed.join('; ') }
  }
  const failed: string[] = []
  for (const [place, delivery] of to.entries()) {
    const why = await sendOne(delivery, place)
    if (why === undefined) return { done: [delivery.target], why: '' }
    failed.push(why)
  }
  return { done: [], why: failed.join('; ') }
}
