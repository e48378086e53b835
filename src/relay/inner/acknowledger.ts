/** Sends answers to the relay, as many at once as have gathered meanwhile, and again until the relay has them. */

import { nextTurn } from '../../core/turns/taking-turns.ts'
import type { WireFrame } from '../wire/frames.ts'
import { type DoneHead, maxDoneBytes } from '../wire/messages.ts'

export type AcknowledgerOptions = {
  /** Rejects where the relay may not have the answers. */
  readonly send: (answers: readonly WireFrame<DoneHead>[]) => Promise<void>
  /** Called with the requests whose answers the relay has. */
  readonly sent: (ids: readonly string[]) => void
  /** Waits before the next try. `tries`: the number of tries so far. */
  readonly pause: (tries: number) => Promise<void>
  readonly isStopping: () => boolean
}

const maxAnswers = 256

export class Acknowledger {
  readonly #options: AcknowledgerOptions
  /** The relay hands out only a bounded number of requests before it has their answers, so this list is bounded too. */
  readonly #waiting: WireFrame<DoneHead>[] = []
  #sending: Promise<void> | undefined

  constructor(options: AcknowledgerOptions) {
    this.#options = options
  }

  add(answer: WireFrame<DoneHead>): void {
    this.#waiting.push(answer)
    this.#sending ??= this.#send()
  }

  /** Resolves when the relay has all answers, or a last try has failed. */
  async close(): Promise<void> {
    await this.#sending
  }

  async #send(): Promise<void> {
    // The answers of this turn of the event loop go together.
    await nextTurn()
    for (let tries = 0; this.#waiting.length > 0; ) {
      const answers = this.#next()
      try {
        await this.#options.send(answers)
        this.#waiting.splice(0, answers.length)
        this.#options.sent(answers.map(({ head }) => head.id))
        tries = 0
      } catch {
        // A process that stops tries once: the relay hands out requests without an answer again, and their claims show that they were
        // taken.
        if (this.#options.isStopping()) break
        await this.#options.pause(++tries)
      }
    }
    this.#sending = undefined
  }

  #next(): WireFrame<DoneHead>[] {
    let left = maxDoneBytes / 2
    const end = this.#waiting.findIndex(({ body }, at) => {
      left -= body.length
      return at > 0 && (left < 0 || at >= maxAnswers)
    })
    return this.#waiting.slice(0, end === -1 ? undefined : end)
  }
}
