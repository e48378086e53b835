/** The polls of a running gateway: one for each served route that has `poll`. */

import { type Repeating, repeat } from '../../core/turns/repeat.ts'
import type { PollState } from '../../generated/control.ts'
import { type PollEffects, RoutePoll } from './route-poll.ts'

/** How often the served routes are read: a subscription comes without a reload. */
const readRoutesEveryMs = 5_000

export type PollsOptions = PollEffects & {
  /** Returns the names of the served routes that have `poll`, subscriptions among them. */
  readonly names: () => readonly string[]
}

export class Polls {
  readonly #options: PollsOptions
  /** By the names of the routes. */
  readonly #polls = new Map<string, RoutePoll>()
  readonly #ending = new Set<Promise<void>>()
  readonly #following: Repeating

  constructor(options: PollsOptions) {
    this.#options = options
    this.#following = repeat(options.clock, readRoutesEveryMs, () => this.#followRoutes())
  }

  /** Begins and ends polls, as the served routes say, now and from now on. */
  refresh(): void {
    void this.#following.now()
  }

  #followRoutes(): void {
    const names = new Set(this.#options.names())
    for (const [name, poll] of this.#polls) if (!names.has(name)) this.#end(name, poll)
    for (const name of names) if (!this.#polls.has(name)) this.#polls.set(name, new RoutePoll(name, this.#options))
  }

  states(): readonly PollState[] {
    return [...this.#polls.values()].map((poll) => poll.view())
  }

  /** Reads nothing more, and lets the messages in progress end. */
  async close(): Promise<void> {
    await this.#following.stop()
    for (const [name, poll] of this.#polls) this.#end(name, poll)
    await Promise.all(this.#ending)
  }

  #end(name: string, poll: RoutePoll): void {
    this.#polls.delete(name)
    const ending = poll.close().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }
}
