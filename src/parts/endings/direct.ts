/**
 * The ending of a route with `deliver_only`: sends the rendered prompt to the targets without an agent. The answer to the sender waits for
 * the targets, and says whether the text was delivered (rules: Direct delivery 1). With `retry`, the delivery becomes a run, which is
 * committed before the answer and tried again by a worker (rules: Direct delivery 4).
 */

import { pause } from '../../core/clock.ts'
import { messageOf, StoreFault } from '../../core/fault.ts'
import type { Delivery } from '../../core/new-run.ts'
import { type Outcome, refuse, unavailable } from '../../core/outcome.ts'
import type { Event } from '../../core/request.ts'
import type { Claim, Claimed, Store } from '../../store/ports.ts'
import { claimOf, compileTargetClaims, heldBack, holdMsOf } from '../claim.ts'
import { deliveriesOf, deliveryLabel, partialFailureText } from '../destination.ts'
import type { Effects } from '../effects.ts'
import { type Outgoing, permanentFailure, type Sent } from '../targets/target.ts'
import type { EndingPart } from './ending.ts'
import { acceptAgent, directRun, routeMembers } from './kit/accept.ts'
import { compileMessage, type EventMessage } from './kit/message.ts'

/**
 * The time for the whole answer: the wait for another request with the same id, and the sending. Many senders give up after ten seconds,
 * and repeat the event or lose it.
 */
const budgetMs = 9_000

export const direct: EndingPart = {
  name: 'direct',
  mode: 'direct',
  fits: (route) => route.deliver_only === true,
  compile(route, kit) {
    const { written, render } = compileMessage(route, kit)
    const holdMs = holdMsOf(route)
    if (route.retry) {
      const members = routeMembers(route)
      return (event) => {
        const accept = (message: EventMessage) => acceptAgent(directRun(event, message, members), claimOf(event, holdMs), kit.effects)
        const message = render(event)
        return message instanceof Promise ? message.then(accept) : accept(message)
      }
    }
    const targetClaimsOf = compileTargetClaims(written)
    return async (event) => {
      const rendered = await render(event)
      const claim = claimOf(event, holdMs)
      const targetClaims = targetClaimsOf(claim)
      const deadline = kit.effects.clock.monotonic() + budgetMs
      try {
        const had = await claimAndReadTargets(claim, targetClaims, kit.effects, deadline)
        if (had === 'duplicate' || had === 'repeated') return heldBack(event, had, claim)
        return had === 'unsettled'
          ? inProgress
          : await deliverDirectly(event, rendered, { claim, targetClaims, had, deadline }, kit.effects)
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error
        return unavailable(error)
      }
    }
  },
}

/** The claims of one event: its own, and those of its targets. A target claim is held once the target has the text of this event. */
type HeldClaims = {
  readonly claim: Claim
  /** Of a list of targets with mode `all`, the target claims, in the order of the targets. For any other destination, empty. */
  readonly targetClaims: readonly Claim[]
  /** For each target claim, whether it is held: an earlier request with this id has sent the text to the target. */
  readonly had: readonly boolean[]
  /** The monotonic time until which the sender waits for the answer. */
  readonly deadline: number
}

/**
 * The outcome when another request with this delivery id was still in progress at the end of the wait. The sender is asked to repeat the
 * event: the other request may fail, and if its process is dead, the store releases its claim.
 */
const inProgress = refuse('in_progress', { retryAfterSeconds: 5 })

/** The time that is left for the delivery after the longest wait for another request. */
const leastSendMs = 2_000

/** The pause before another try of a claim that another request holds. */
const againMs = 200

/**
 * Claims the delivery id, and resolves to whether each target claim is held. Claim and read are one commit. An earlier request stores its
 * target claims before it releases the id, so the read misses none. While another request with this id is in progress, this request waits:
 * the outcome `duplicate` would end the sender's repeats, and the other request may fail. `unsettled`: the other request was still in
 * progress when the wait ended.
 */
const claimAndReadTargets = async (
  claim: Claim,
  targetClaims: readonly Claim[],
  { store, clock }: Effects,
  deadline: number,
): Promise<readonly boolean[] | Exclude<Claimed, 'claimed'>> => {
  const keys = targetClaims.map(({ key }) => key)
  for (;;) {
    const [claimed, had] = await Promise.all([store.claim(claim), keys.length > 0 ? store.held(keys) : []])
    if (claimed === 'claimed') return had
    if (claimed !== 'unsettled' || clock.monotonic() >= deadline - leastSendMs) return claimed
    await pause(againMs, clock)
  }
}

/** Sends the text after the delivery id was claimed, settles the claim, and makes the outcome. A failure releases the id for a repeat. */
const deliverDirectly = async (
  event: Event,
  { prompt: { text }, delivery }: EventMessage,
  claims: HeldClaims,
  effects: Effects,
): Promise<Outcome> => {
  const { route, profile, deliveryId } = event
  const to = deliveriesOf(delivery)
  const label = (position: number): string => deliveryLabel(to, position)
  const traceparent = effects.traces?.placeOf(event).traceparent
  const about = { text, profile, route, deliveryId, ...(traceparent === undefined ? {} : { traceparent }) }
  const send = createSendOne(about, effects, claims.deadline)
  const isFirstSuccess = 'to' in delivery && delivery.mode === 'first_success'
  const record = recorderOf(event, effects)
  const results = isFirstSuccess ? await sendInTurn(to, send) : await sendToAll(to, claims, send, record)
  const done = [...results.keys()].filter((position) => results[position]?.ok)
  const isDone = isFirstSuccess ? done.length > 0 : done.length === to.length
  await record((store) => store.settle(claims.claim, isDone), isDone)
  if (isDone) {
    const answers = results.flatMap((sent, position) => (sent.ok && sent.detail !== undefined ? `${label(position)}: ${sent.detail}` : []))
    return { kind: 'delivered', route, target: done.map((position) => to[position]?.target).join(', '), deliveryId, answers }
  }
  const failed = results.flatMap((sent, position) => (sent.ok ? [] : `${label(position)}: ${sent.why}`))
  const waitsMs = results.flatMap((sent) => (sent.ok ? [] : (sent.retryAfterMs ?? [])))
  const retryAfter = waitsMs.length > 0 ? { retryAfterSeconds: Math.ceil(Math.max(...waitsMs) / 1000) } : {}
  return refuse('delivery_failed', { ...retryAfter, detail: partialFailureText(to, failed, done) })
}

/** Sends to one target, within the fraction `timeShare` of the remaining time. */
type SendOne = (delivery: Delivery, position: number, timeShare: number) => Promise<Sent>

/**
 * Makes the function that sends the text of one event to one of its targets. `deadline`: the monotonic time at which the sending to all
 * targets must have ended.
 */
const createSendOne =
  (about: Omit<Outgoing, 'delivery' | 'position' | 'budgetMs'>, { send, clock }: Effects, deadline: number): SendOne =>
  async (delivery, position, timeShare) => {
    const ms = Math.floor((deadline - clock.monotonic()) * timeShare)
    return ms < 1 ? permanentFailure('no time was left for it') : send({ ...about, delivery, position, budgetMs: ms })
  }

/**
 * Sends at the same time to all targets that do not have the text from an earlier request. Where there are several targets, each success is
 * stored at once, so that after a crash the target does not get the text again.
 */
const sendToAll = (to: readonly Delivery[], { targetClaims, had }: HeldClaims, send: SendOne, record: Recorder): Promise<readonly Sent[]> =>
  Promise.all(
    to.map(async (delivery, position): Promise<Sent> => {
      if (had[position]) return { ok: true }
      const sent = await send(delivery, position, 1)
      const targetClaim = targetClaims[position]
      if (sent.ok && targetClaim && to.length > 1)
        await record((store) => Promise.all([store.claim(targetClaim), store.settle(targetClaim, true)]), true)
      return sent
    }),
  )

/** Sends in order until one target has the text. No target may use up the time of the targets after it. */
const sendInTurn = async (to: readonly Delivery[], send: SendOne): Promise<readonly Sent[]> => {
  const results: Sent[] = []
  for (const [position, delivery] of to.entries()) {
    results.push(await send(delivery, position, 1 / (to.length - position)))
    if (results.at(-1)?.ok) break
  }
  return results
}

/**
 * Runs `change`, which changes claims in the store. A change that the store could not make is tried again later. `isMade`: the delivery was
 * made and must not be made again. The promise never rejects.
 */
type Recorder = (change: (store: Store) => Promise<unknown>, isMade: boolean) => Promise<void>

const recorderOf =
  ({ route, deliveryId }: Event, effects: Effects): Recorder =>
  async (change, isMade) => {
    try {
      await change(effects.store)
    } catch (error) {
      // The sender still gets the right answer. At worst, the claim stays unsettled: until it ends, repeats get `in_progress`, and after
      // that, a repeat makes the delivery again.
      effects.log('error', { route, delivery_id: deliveryId, reason: messageOf(error) }, 'delivery id not recorded')
      if (error instanceof StoreFault) void recordLater(change, effects, isMade ? madeLaterMs : releaseLaterMs)
    }
  }

/** How long the record of a delivery is tried again: longer than an unsettled claim lasts in a shared store (30 s). */
const madeLaterMs = 60_000
/** How long a release is tried again: less long than the claim surely lasts, because a later claim of the id belongs to a repeat. */
const releaseLaterMs = 15_000

/**
 * Makes a change of claims as soon as the store works again, and gives up after `lastsMs` milliseconds. Without the record of a delivery,
 * the repeat of a sender that missed the answer would make the delivery again. Without the release after a failure, each repeat would get
 * the answer that the event is in progress.
 */
const recordLater = async (change: (store: Store) => Promise<unknown>, { store, clock }: Effects, lastsMs: number): Promise<void> => {
  const end = clock.monotonic() + lastsMs
  for (;;) {
    await store.recovered()
    if (clock.monotonic() >= end) return
    const isStored = await change(store).then(
      () => true,
      () => false,
    )
    if (isStored) return
    await pause(againMs, clock)
  }
}
