/**
 * Gathers the work of a request's items, and commits it at once. The ending of the route gets a store that hands its work to the gathering;
 * each item's ending waits until the work of all items is there.
 */

import { StoreFault } from '../../core/fault.ts'
import type { NewRun } from '../../core/new-run.ts'
import { type Outcome, overloaded, type Refused, refuse, unavailable } from '../../core/outcome.ts'
import type { MaybePromise } from '../../core/plan.ts'
import type { Event } from '../../core/request.ts'
import { nextTurn } from '../../core/turns/taking-turns.ts'
import type { Accepted, Joined, PendingWork, Store, WorkAnswer } from '../../store/ports.ts'
import type { Effects } from '../effects.ts'

/**
 * The most characters of all prompts of a request. Each item may bring as many as a whole request (200,000), and a template may repeat a
 * value of the request in the prompt of each item.
 */
const maxPromptChars = 20_000_000

/** The work that an item has handed in, and the two ends of the promise that the item's ending waits for. */
type HandedIn = { readonly work: PendingWork; readonly resolve: (answer: WorkAnswer) => void; readonly reject: (why: StoreFault) => void }
/** The most events of one request. A store takes no more work at once. */
export const maxEvents = 1_000

type RunItem = (item: Event, index: number) => MaybePromise<Outcome>

/** The effects for the ending of a route that splits, and the function that runs the items of one request. */
export type Gathering = {
  readonly effects: Effects
  /**
   * Runs items in turn, and commits their work at once. Resolves to their outcomes, in order; or to the refusal of the whole request, of
   * which no item was taken.
   */
  run(items: readonly Event[], runItem: RunItem): Promise<readonly Outcome[] | Refused>
}

export const createGathering = (effects: Effects): Gathering => {
  /** The requests in progress, by the event of each of their items. */
  const requests = new Map<string, GatheredWork>()
  const handIn = async <T extends WorkAnswer>(work: PendingWork): Promise<T> => {
    const gathered = requests.get(work.run?.eventId ?? work.ending?.by ?? '')
    if (!gathered) throw new Error('an ending handed in the work of no item')
    return gathered.handIn(work) as Promise<T>
  }
  const store: Pick<Store, 'accept' | 'join' | 'acceptAll'> = {
    acceptAll: (works) => Promise.all(works.map((work) => handIn<WorkAnswer>(work))),
    accept: (run: NewRun, claim, lane) => handIn<Accepted>({ run, claim, lane }),
    join: (run: NewRun, claim, group) => handIn<Joined>({ run, claim, group }),
  }
  return {
    // The limits are checked once, for the work of all items.
    effects: withStore(effects, store),
    async run(items, runItem) {
      if (items.length > maxEvents) return tooManyEvents(items.length)
      const gathered = new GatheredWork(effects)
      for (const { eventId } of items) requests.set(eventId, gathered)
      try {
        return await gathered.run(items, runItem)
      } finally {
        gathered.abandon()
        for (const { eventId } of items) requests.delete(eventId)
      }
    },
  }
}

/** Returns the refusal of a request with more events than a store takes at once. */
export const tooManyEvents = (count: number): Refused =>
  refuse('too_large', { limit: `at most ${maxEvents} items in a request`, detail: `${count} items` })

/** Returns effects that differ only in what their store takes, and that always have room. */
const withStore = (effects: Effects, store: Pick<Store, 'accept' | 'join' | 'acceptAll'>): Effects =>
  Object.create(effects, { store: { value: store }, hasRoom: { value: () => true } }) as Effects

/** The work of one request's items. */
class GatheredWork {
  readonly #effects: Effects
  #waiting: HandedIn[] = []
  #promptChars = 0
  /** Called when an item hands in its work. */
  #handedIn: () => void = () => {}
  #refused: Refused | undefined

  constructor(effects: Effects) {
    this.#effects = effects
  }

  handIn(work: PendingWork): Promise<WorkAnswer> {
    return new Promise((resolve, reject) => {
      this.#promptChars += work.run?.prompt.length ?? 0
      this.#waiting.push({ work, resolve, reject })
      this.#handedIn()
    })
  }

  async run(items: readonly Event[], runItem: RunItem): Promise<readonly Outcome[] | Refused> {
    const outcomes: Promise<Outcome>[] = []
    for (const [index, item] of items.entries()) {
      // One item after the other: a script of each item at once would fill the slots of scripts, and work is handed in in order.
      const handedIn = this.#nextHandIn()
      const outcome = Promise.resolve(runItem(item, index))
      // Where another item throws, nobody waits for this one.
      outcome.catch(() => {})
      outcomes.push(outcome)
      const ended = await Promise.race([outcome, handedIn])
      if (ended?.kind === 'refused') this.#refuse(ended)
      if (this.#promptChars > maxPromptChars) this.#refuse(refuse('too_large', { limit: 'the prompts of its items are too long together' }))
      if (this.#refused) break
    }
    const all = Promise.all(outcomes)
    for (;;) {
      await this.#commit()
      if (this.#refused) return this.#refused
      const handedIn = this.#nextHandIn()
      const ended = this.#waiting.length === 0 && (await Promise.race([all, handedIn]))
      if (ended) return ended
      // An event whose group has no room is handed in again, as a run of its own. Others may follow in this turn.
      await nextTurn()
    }
  }

  /** Lets go of the items that still wait, where the run of another item has thrown. */
  abandon(): void {
    for (const { reject } of this.#waiting) reject(new StoreFault('another item of the request failed'))
  }

  #nextHandIn(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#handedIn = () => resolve(undefined)
    })
  }

  async #commit(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length === 0) return
    const runs = waiting.filter(({ work }) => work.run).length
    if (!this.#refused && runs > 0 && !this.#effects.hasRoom(runs))
      this.#refused = overloaded(`the queue of accepted runs has no room for the ${runs} runs of this request`)
    try {
      if (this.#refused) throw new StoreFault('another item of the request was refused')
      const answers = await this.#effects.store.acceptAll(waiting.map(({ work }) => work))
      for (const [i, { resolve }] of waiting.entries()) resolve(answers[i] as WorkAnswer)
    } catch (error) {
      const why = error instanceof StoreFault ? error : new StoreFault('the work of the request was not taken', { cause: error })
      this.#refused ??= unavailable(why)
      for (const { reject } of waiting) reject(why)
      if (!(error instanceof StoreFault)) throw error
    }
  }

  #refuse(refused: Refused): void {
    this.#refused ??= refused
  }
}
