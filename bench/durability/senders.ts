/** Sends events until each has an answer. An event that got none, or a 503, is sent again. */

import { setTimeout as wait } from 'node:timers/promises'
import { type Client, createClient, type Event } from './client.ts'

export type Answered = {
  readonly event: Event
  /** `accepted`: the event must become a run, or a part of one. */
  readonly state: 'accepted' | 'ignored'
  readonly at: number
  /** Whether the answer that accepted the event has not arrived. */
  readonly unheard: boolean
}

export type Round = {
  readonly url: string
  readonly connections: number
  /** Returns the pause between two events of one connection. */
  readonly pauseMs: () => number
  readonly goesOn: () => boolean
  readonly answered?: (answered: Answered) => void
}

/** How long after a 503 the event is sent again. To wait for `Retry-After` would only make the program slow. */
const refusedMs = 50

export class Senders {
  readonly answers = new Map<string, Answered>()
  /** Answers that must never come. */
  readonly wrong: string[] = []
  readonly statuses = new Map<number, number>()
  #open: Event[]

  constructor(events: readonly Event[]) {
    this.#open = [...events]
  }

  get left(): number {
    return this.#open.length
  }

  /** Sends the events. Resolves when no event is left, when `goesOn` says no, or when nobody answers any more. */
  async run(round: Round): Promise<void> {
    const client = createClient()
    await Promise.all(Array.from({ length: round.connections }, () => this.#connection(client, round)))
    client.close()
  }

  /** Sends some accepted events once more. Each must be answered as a duplicate. */
  async repeat(url: string, count: number): Promise<void> {
    const client = createClient()
    const before = [...this.answers.values()].filter(({ state }) => state === 'accepted').slice(-count)
    for (const { event } of before) {
      const answer = await client.post(url, event).catch(() => undefined)
      if (answer && answer.said !== 'duplicate')
        this.wrong.push(`${event.id} was accepted before, and sent again: ${answer.status} ${answer.said}`)
    }
    client.close()
  }

  async #connection(client: Client, { url, pauseMs, goesOn, answered }: Round): Promise<void> {
    for (let event = this.#open.shift(); event !== undefined; event = this.#open.shift()) {
      try {
        const { status, said, reason } = await client.post(url, event)
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
        if (status === 503) {
          this.#open.push(event)
          await wait(refusedMs)
        } else {
          const noted = this.#note(event, `${status} ${said} ${reason}`.trim())
          answered?.(noted)
        }
      } catch {
        this.#open.push(event)
        return
      }
      if (!goesOn()) return
      const pause = pauseMs()
      if (pause > 0) await wait(pause)
    }
  }

  #note(event: Event, answer: string): Answered {
    const isIgnored = event.route === 'job-skip' && answer === '200 ignored job_running'
    const unheard = answer === '200 duplicate'
    const fits = event.route.startsWith('burst') ? '202 coalesced' : '202 accepted'
    if (!isIgnored && !unheard && answer !== fits) this.wrong.push(`${event.id}: ${answer}`)
    const answered: Answered = { event, state: isIgnored ? 'ignored' : 'accepted', at: performance.now(), unheard }
    this.answers.set(event.id, answered)
    return answered
  }
}
