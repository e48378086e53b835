/** The senders that wait for the answer of their gateway. */

import type { Clock } from '../../core/clock.ts'
import type { Reply } from '../../core/outcome.ts'
import type { ItemHead } from '../wire/messages.ts'

/** The most requests of a gateway that are not kept and wait for an answer. */
const maxAsked = 64

export class WaitingSenders {
  readonly #clock: Clock
  readonly #ends = new Map<string, (reply: Reply | undefined) => void>()
  /** The requests that are not kept, and were not handed to the gateway yet. */
  readonly #asked = new Map<string, ItemHead>()
  #askedSoFar = 0
  /** The number of requests that are not kept and have no answer. */
  #unkept = 0
  #isClosed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether a request that is not kept waits to be handed out. */
  get hasAsked(): boolean {
    return this.#asked.size > 0
  }

  /** Resolves to the gateway's answer to a request; `undefined` where none comes within `ms` milliseconds. */
  answerTo(id: string, ms: number): Promise<Reply | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed || ms <= 0) return resolve(undefined)
      const end = (reply: Reply | undefined): void => {
        cancel()
        this.#ends.delete(id)
        this.#asked.delete(id)
        resolve(reply)
      }
      const cancel = this.#clock.after(ms, () => end(undefined))
      this.#ends.set(id, end)
    })
  }

  /** Adds a request that is not kept. Resolves as `answerTo` does, at once where too many wait. */
  ask(head: Omit<ItemHead, 'id'>, ms: number): Promise<Reply | undefined> {
    if (this.#unkept >= maxAsked) return Promise.resolve(undefined)
    const id = `ask-${++this.#askedSoFar}`
    this.#asked.set(id, { ...head, id })
    this.#unkept++
    return this.answerTo(id, ms).finally(() => {
      this.#unkept--
    })
  }

  /** Returns the requests that are not kept and wait to be handed out, and forgets them, so that each is handed out once. */
  takeAsked(): ItemHead[] {
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    return asked
  }

  /** Answers the sender of a request, where that sender still waits. */
  give(id: string, reply: Reply): void {
    this.#ends.get(id)?.(reply)
  }

  /** Ends all waits: nobody is there who could answer. */
  release(): void {
    for (const end of [...this.#ends.values()]) end(undefined)
  }

  /** Ends all waits, for good: later waits end at once. */
  close(): void {
    this.#isClosed = true
    this.release()
  }
}
