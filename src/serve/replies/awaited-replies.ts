/** Hands the replies of runs to the requests that wait for them. The waits are in memory only: the runs are in the store. */

import type { Clock } from '../../core/clock.ts'
import type { RunAttempt } from '../../core/facts/fact.ts'
import type { Facts, Observer } from '../../core/facts/facts.ts'
import type { AwaitedReply, Replies } from '../../parts/effects.ts'
import type { StatusTokens } from './status-token.ts'

type AwaitedRepliesOptions = {
  readonly clock: Clock
  readonly facts: Pick<Facts, 'observe'>
  /** Returns how many requests may wait at the same time. */
  readonly most: () => number
  readonly tokens: StatusTokens
}

/** A request that waits. `end`: ends the wait, with the reply or without one. */
type WaitingRequest = { readonly route: string; readonly end: (reply: string | undefined) => void }

/** Returns the reply of a run that has ended, as the fact `run_replied` has it; `undefined` where the run ended without one. */
const replyOf = ({ end, reply }: RunAttempt): string | undefined => {
  if (end.kind !== 'done') return undefined
  return end.silent ? '' : reply
}

export class AwaitedReplies implements Replies, Observer<'replies'> {
  readonly handlers: Observer<'replies'>['handlers'] = {
    run_replied: ({ eventId, reply }) => this.end(eventId, reply),
    run_erased: ({ run }) => this.end(run.eventId, undefined),
    attempt_ended: ({ run }) => {
      if (run.end.kind !== 'again') this.end(run.eventId, replyOf(run))
    },
  }
  readonly #options: AwaitedRepliesOptions
  readonly #waiting = new Map<string, WaitingRequest>()
  #isObserving = false
  #isClosed = false
  #begun = (): void => {}

  constructor(options: AwaitedRepliesOptions) {
    this.#options = options
  }

  begin({ eventId, route, waitMs, most }: Parameters<Replies['begin']>[0]): AwaitedReply | undefined {
    if (this.#isClosed || this.#waiting.size >= this.#options.most() || this.#countOf(route) >= most) return undefined
    // A gateway without such a route has no observer for it.
    if (!this.#isObserving) this.#options.facts.observe(this)
    this.#isObserving = true
    const { wait, awaited } = this.#wait(eventId, route, waitMs)
    this.#waiting.set(eventId, wait)
    this.#begun()
    return awaited
  }

  /** Makes a wait. The reply may be known before somebody asks for it. */
  #wait(eventId: string, route: string, waitMs: number): { readonly wait: WaitingRequest; readonly awaited: AwaitedReply } {
    let known: { readonly reply: string | undefined } | undefined
    let tellReply: ((reply: string | undefined) => void) | undefined
    const leave = (): void => {
      this.#waiting.delete(eventId)
      cancel()
    }
    const end = (reply: string | undefined): void => {
      leave()
      known = { reply }
      tellReply?.(reply)
    }
    const cancel = this.#options.clock.after(waitMs, () => end(undefined))
    const whenKnown: AwaitedReply['whenKnown'] = (tell) => {
      if (known) tell(known.reply)
      else tellReply = tell
    }
    return { wait: { route, end }, awaited: { whenKnown, leave } }
  }

  token(eventId: string, forMs: number): string {
    const { tokens, clock } = this.#options
    return tokens.make(eventId, clock.now() + forMs)
  }

  /** Returns the id of the event that a token of a status address is for; `undefined` for a token that is not valid. */
  eventOf(token: string): string | undefined {
    return this.#options.tokens.open(token, this.#options.clock.now())
  }

  /** Ends the wait for the reply of an event's run, where a request waits for it. `undefined`: the run ended without a reply. */
  end(eventId: string, reply: string | undefined): void {
    this.#waiting.get(eventId)?.end(reply)
  }

  get count(): number {
    return this.#waiting.size
  }

  eventIds(): readonly string[] {
    return [...this.#waiting.keys()]
  }

  /** Has `begun` called at the begin of each wait. */
  onBegin(begun: () => void): void {
    this.#begun = begun
  }

  /** Ends all waits without a reply, because the gateway stops. No request waits from now on. */
  close(): void {
    this.#isClosed = true
    for (const { end } of [...this.#waiting.values()]) end(undefined)
  }

  #countOf(route: string): number {
    let count = 0
    for (const waiting of this.#waiting.values()) if (waiting.route === route) count++
    return count
  }
}
