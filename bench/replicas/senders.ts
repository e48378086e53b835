/**
 * Sends events as real senders do: an event that got no 2xx is sent again with its delivery id. Events of one lane are sent one after the
 * other, so that the order of their acceptance is known.
 */

import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, type Client, createClient, type Event } from '../durability/client.ts'
import { laneOf } from './mix.ts'

export type Answered = {
  readonly event: Event
  /** `accepted`: the event must become a run, a part of a merged run, or a direct delivery. */
  readonly state: 'accepted' | 'ignored'
  readonly at: number
  /** The answer to every sending of the event, or the lack of an answer. The last sending comes first. */
  readonly answers: readonly string[]
}

const connections = 24
/** Real senders give up after about ten seconds. These senders give up earlier, so that a paused replica does not hold them up. */
const answerMs = 6_000
const pauseMs = 100
const idleMs = 10

export class Senders {
  readonly answered = new Map<string, Answered>()
  /** Answers that must never come. */
  readonly wrong: string[] = []
  readonly statuses = new Map<string, number>()
  readonly #whenAnswered: (answered: Answered) => void
  readonly #open: Event[]
  readonly #behind = new Map<string, Event[]>()
  readonly #tries = new Map<string, string[]>()
  #left: number

  /** `whenAnswered` is told of each event that need not be sent again. */
  constructor(events: readonly Event[], whenAnswered: (answered: Answered) => void) {
    this.#whenAnswered = whenAnswered
    this.#left = events.length
    this.#open = events.filter((event) => !this.#waits(event))
  }

  /** Sends all events. Resolves when no event has to be sent again. */
  async run(url: string): Promise<void> {
    const client = createClient(answerMs)
    const connection = async (): Promise<void> => {
      while (this.#left > 0) {
        const event = this.#open.shift()
        if (event === undefined) await wait(idleMs)
        else if (!(await this.#send(client, url, event))) await wait(pauseMs)
      }
    }
    await Promise.all(Array.from({ length: connections }, connection))
    client.close()
  }

  /** Whether an event has to wait for an earlier event of its lane. An event that has to wait is put into the queue of its lane. */
  #waits(event: Event): boolean {
    const lane = laneOf(event)
    if (lane === undefined) return false
    const behind = this.#behind.get(lane)
    if (behind === undefined) this.#behind.set(lane, [])
    else behind.push(event)
    return behind !== undefined
  }

  /** Sends an event. Returns `false` when the event has to be sent again. */
  async #send(client: Client, url: string, event: Event): Promise<boolean> {
    const answer = await client.post(url, event).catch((error: Error) => error.message)
    const said = typeof answer === 'string' ? `none (${answer})` : `${answer.status} ${answer.said} ${answer.reason}`.trim()
    const key = typeof answer === 'string' ? 'none' : said
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1)
    const tries = [`${said} at ${(performance.now() / 1000).toFixed(3)}`, ...(this.#tries.get(event.id) ?? [])]
    this.#tries.set(event.id, tries)
    if (typeof answer === 'string' || isToRepeat(answer)) {
      this.#open.push(event)
      return false
    }
    this.#note(event, said, tries)
    return true
  }

  #note(event: Event, said: string, answers: readonly string[]): void {
    const isIgnored = event.route === 'job-skip' && said === '200 ignored job_running'
    // A repeat is a duplicate when an earlier sending was accepted, and its answer was lost or was an error.
    const isKnown = said === '200 duplicate' && answers.length > 1
    if (!isIgnored && !isKnown && said !== usualAnswer(event.route)) this.wrong.push(`${event.id}: ${answers.join(' after ')}`)
    this.#tries.delete(event.id)
    this.#left--
    const next = this.#behind.get(laneOf(event) ?? '')?.shift()
    if (next) this.#open.unshift(next)
    const answered: Answered = { event, state: isIgnored ? 'ignored' : 'accepted', at: performance.now(), answers }
    this.answered.set(event.id, answered)
    this.#whenAnswered(answered)
  }
}

/** Whether a sender sends the event again: the gateway could not take the event, or a direct delivery failed. */
const isToRepeat = ({ status }: Answer): boolean => status === 503 || status === 502

const usualAnswer = (route: string): string => {
  if (route === 'group' || route === 'counted') return '202 coalesced'
  return route === 'direct' ? '200 delivered' : '202 accepted'
}
