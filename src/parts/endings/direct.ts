/** Sends the expanded prompt itself, and answers when it is delivered (rules: Direct delivery 1). */

import { messageOf, StoreFault } from '../../core/fault.ts'
import { type Outcome, refuse } from '../../core/outcome.ts'
import type { Event } from '../../core/request.ts'
import type { Claim, Delivery, Store } from '../../store/ports.ts'
import { deliveriesOf, labelOf, whyPartly } from '../destination.ts'
import type { Effects } from '../effects.ts'
import type { Outgoing } from '../targets/target.ts'
import type { EndingPart } from './ending.ts'
import { unavailable } from './kit/accept.ts'
import { claimOf, compileShares, duplicate } from './kit/claim.ts'
import { compileMessage, type Message } from './kit/message.ts'

/** Senders give up after about ten seconds and repeat, so the answer must come before that. */
const budgetMs = 9_000

export const direct: EndingPart = {
  name: 'direct',
  fits: (route) => route.deliver_only === true,
  compile(route, kit) {
    const { written, render } = compileMessage(route, kit)
    const sharesOf = compileShares(written)
    return async (event) => {
      const rendered = await render(event)
      const claim = claimOf(event)
      const shares = sharesOf(claim)
      try {
        const had = await claimWith(claim, shares, kit.effects.store)
        return had ? await deliver(event, rendered, { claim, shares, had }, kit.effects) : duplicate(event)
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error
        return unavailable(error)
      }
    }
  },
}

type Held = {
  readonly claim: Claim
  /** The claims of the targets, one for each with mode `all`; else none. */
  readonly shares: readonly Claim[]
  /** Which of the shares are held: those targets have the text from an earlier request with this id. */
  readonly had: readonly boolean[]
}

/**
 * Claims the id, and reads which shares are held; `undefined`: the id is taken. Both are one commit: an earlier request stores its shares
 * before it gives the id back, so that none is missed.
 */
const claimWith = async (claim: Claim, shares: readonly Claim[], store: Store): Promise<readonly boolean[] | undefined> => {
  const [isOurs, had] = await Promise.all([store.claim(claim), shares.length > 0 ? store.held(shares.map(({ key }) => key)) : []])
  return isOurs ? had : undefined
}

const deliver = async (event: Event, { text, delivery }: Message, held: Held, effects: Effects): Promise<Outcome> => {
  const { route, profile, deliveryId } = event
  const to = deliveriesOf(delivery)
  const answers: string[] = []
  const send = senderOf({ text, profile, route, deliveryId }, effects, (place, answer) => answers.push(`${labelOf(to, place)}: ${answer}`))
  const isFirst = 'to' in delivery && delivery.mode === 'first_success'
  const record = recorderOf(event, effects)
  const failures = isFirst ? await sendInTurn(to, send) : await sendToAll(to, held, send, record)
  const done = [...to.keys()].filter((place) => failures[place] === undefined && place < failures.length)
  const isDone = isFirst ? done.length > 0 : done.length === to.length
  await record((store) => store.settle(held.claim.key, isDone))
  if (isDone) return { kind: 'delivered', route, target: done.map((place) => to[place]?.target).join(', '), deliveryId, answers }
  const failed = failures.flatMap((why, place) => (why === undefined ? [] : `${labelOf(to, place)}: ${why}`))
  return refuse('delivery_failed', { detail: whyPartly(to, failed, done) })
}

/** For each target, in order: why it failed, or `undefined`. */
type Failures = readonly (string | undefined)[]
/** `share`: the part of the remaining time that a target may use. */
type SendOne = (delivery: Delivery, place: number, share: number) => Promise<string | undefined>

/** `answered`: told of what a target said of the text that it took. */
const senderOf = (
  about: Omit<Outgoing, 'delivery' | 'place' | 'budgetMs'>,
  { send, clock }: Effects,
  answered: (place: number, answer: string) => void,
): SendOne => {
  const deadline = clock.monotonic() + budgetMs
  return async (delivery, place, share) => {
    const ms = Math.floor((deadline - clock.monotonic()) * share)
    if (ms < 1) return 'no time was left for it'
    const sent = await send({ ...about, delivery, place, budgetMs: ms })
    if (!sent.ok) return sent.why
    if (sent.detail !== undefined) answered(place, sent.detail)
    return undefined
  }
}

/** Sends to all at the same time. A target that has the text is stored at once, so that after a crash it does not get it again. */
const sendToAll = (to: readonly Delivery[], { shares, had }: Held, send: SendOne, record: Recorder): Promise<Failures> =>
  Promise.all(
    to.map(async (delivery, place) => {
      if (had[place]) return undefined
      const why = await send(delivery, place, 1)
      const share = shares[place]
      if (why === undefined && share && to.length > 1)
        await record((store) => Promise.all([store.claim(share), store.settle(share.key, true)]))
      return why
    }),
  )

/** Sends in order until one target has the text. A target that does not answer leaves time for those after it. */
const sendInTurn = async (to: readonly Delivery[], send: SendOne): Promise<Failures> => {
  const failures: (string | undefined)[] = []
  for (const [place, delivery] of to.entries()) {
    failures.push(await send(delivery, place, 1 / (to.length - place)))
    if (failures.at(-1) === undefined) break
  }
  return failures
}

/** Tells the store what became of an id. Never rejects. */
type Recorder = (tell: (store: Store) => Promise<unknown>) => Promise<void>

const recorderOf =
  ({ route, deliveryId }: Event, { store, log }: Effects): Recorder =>
  async (tell) => {
    try {
      await tell(store)
    } catch (error) {
      // The sender still learns what became of the text. At worst a repeat within the hour is not recognised.
      log('error', { route, delivery_id: deliveryId, reason: messageOf(error) }, 'delivery id not recorded')
    }
  }
