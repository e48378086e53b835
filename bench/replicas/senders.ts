/**
 * Sends events as real senders do: an event that got no 2xx is sent again with its delivery id. Events of one lane are sent one after the
 * other, so that the order of their acceptance is known.
 */

import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, type Client, createClient, type Event } from '../durability/client.ts'
import { laneOf } from './mix.ts'

export type Answered = {
  readonly event: Event
  /** `accepted`: the event must become a run, a part of one, or a direct delivery. */
  readonly state: 'accepted' | 'ignored'
  readonly at: number
  /** What every sending of it came to, the last first. */
  readonly answers: readonly string[]
}

const connections = 24
/** A sender gives up after about ten seconds; these have less patience, so that a paused replica holds nobody up. */
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

  /** `whenAnswered` is told of each event that needs not be sent again. */
  constructor(events: readonly Event[], whenAnswered: (answered: Answered) => void) {
    this.#whenAnswered = whenAnswered
    this.#left = events.length
    this.#open = events.filter((event) => !this.#waits(event))
  }

  /** Resolves when each event has its answer. */
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

  /** Whether an event has to wait for another one of its lane, behind which it is then put. */
  #waits(event: Event): boolean {
    const lane = laneOf(event)
    if (lane === undefined) return false
    const behind = this.#behind.get(lane)
    if (behind === undefined) this.#behind.set(lane, [])
    else behind.push(event)
    return behind !== undefined
  }

  /** `false`: it has to be sent again. */
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
    // A repeat is a duplicate when the answer to an earlier sending was lost, or said less than was true.
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

/** Whether a sender sends the event again: the gateway could not take it, or a direct delivery failed. */
const isToRepeat = ({ status }: Answer): boolean => status === 503 || status === 502

const usualAnswer = (route: string): string => {
  if (route === 'group' || route === 'counted') return '202 coalesced'
  return route === 'direct' ? '200 delivered' : '202 accepted'
}
