/**
 * Commits the work of an event to the store before the sender is answered: a run, an event of a group, or the end of earlier work. The work
 * and the claim of the event's delivery id are one commit. So without the work the delivery id stays free, and the sender's repeat is
 * accepted (rules: Duplicates 2).
 */

import { StoreFault } from '../core/fault.ts'
import { type EndedWork, type Outcome, overloaded, unavailable } from '../core/outcome.ts'
import { type Accepted, type Ended, type Handed, isEnded, type PendingWork, type Store } from '../store/ports.ts'
import type { Effects } from './effects.ts'

/** The most ids that an outcome has of the events whose work was ended. Their number counts all. */
const maxIds = 100

/**
 * Hands work to the store, wakes the worker, and resolves to the outcome of the request. `outcomeOf` turns the store's answer into the
 * outcome. When the queue is full or the store fails, the outcome asks the sender to try again; an event that only ends other work needs no
 * room in the queue. Rejects with any other error of the store, and with every error of `outcomeOf`.
 */
export const commitWork = <T extends Handed = Accepted>(
  effects: Effects,
  work: PendingWork,
  outcomeOf: (handed: T) => Outcome | Promise<Outcome>,
): Promise<Outcome> => {
  if (work.run && !effects.hasRoom()) return Promise.resolve(overloaded('the queue of accepted runs is full'))
  return (hand(effects.store, work) as Promise<T | Ended<T>>).then(
    (answer) => {
      if (isEnded(answer)) return endedBy(effects, answer, outcomeOf(answer.taken))
      if (answer !== 'duplicate' && answer !== 'repeated') effects.wake()
      return outcomeOf(answer)
    },
    (error: unknown) => {
      if (!(error instanceof StoreFault)) throw error
      // The store may have committed the work although it reported a failure. The worker polls for the work when the store works again.
      effects.wake()
      return unavailable(error)
    },
  )
}

const hand = async (store: Store, { run, claim, lane, group, ending }: PendingWork): Promise<unknown> => {
  if (ending || !run) return (await store.acceptAll([{ ...(run ? { run } : {}), claim, lane, group, ending }]))[0]
  return group ? store.join(run, claim, group) : store.accept(run, claim, lane)
}

/** Stops the agents of ended runs, and adds to the outcome of an event what it has ended. */
const endedBy = async (effects: Effects, { ended, isMore }: Ended<unknown>, pending: Outcome | Promise<Outcome>): Promise<Outcome> => {
  effects.wake(ended)
  const outcome = await pending
  if (isMore)
    effects.log(
      'warn',
      { route: 'route' in outcome ? outcome.route : undefined, ended: ended.length },
      'an event ended as much work as it may, and more of its key goes on',
    )
  if (!('ended' in outcome) && ended.length === 0) return outcome
  const work: EndedWork = { count: ended.length, ids: ended.slice(0, maxIds), ...(isMore ? { isMore } : {}) }
  return outcome.kind === 'accepted' || outcome.kind === 'coalesced' || outcome.kind === 'closing' ? { ...outcome, ended: work } : outcome
}
