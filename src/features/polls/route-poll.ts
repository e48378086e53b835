/**
 * Takes the messages of one polling endpoint for its route, one after the other. A page is acknowledged by the reading after it, once each
 * of its messages is committed or refused for good. After a crash the sender gives the page again, and the delivery ids show the repeats.
 */

import { type Clock, hourMs, minuteMs, pause } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import { pulledTypeHeader } from '../../core/headers.ts'
import type { Log } from '../../core/log.ts'
import type { Outcome } from '../../core/outcome.ts'
import { outcomeName, refusalRow } from '../../core/outcome-table.ts'
import { Scope } from '../../core/scope.ts'
import { backOff } from '../../core/turns/back-off.ts'
import type { PollState } from '../../generated/control.ts'
import { defaults } from '../../generated/defaults.ts'
import { type PolledMessage, type PolledPage, type PollFailure, type PollSettings, pollPage } from '../../parts/polling/svix.ts'
import type { ServedRoute } from '../../plan/table.ts'
import type { Lead } from '../../store/as-leader.ts'
import type { TakePulled } from './take-pulled.ts'

/** What the polls of all routes need of the gateway, and may do in it. */
export type PollEffects = {
  readonly clock: Clock
  readonly log: Log
  /** Whether the gateway takes events now. */
  readonly isReady: () => boolean
  /** Whether events of a route are refused because the route is paused. */
  readonly isPaused: (route: string) => boolean
  readonly take: TakePulled
  readonly served: (route: string) => ServedRoute | undefined
  readonly lead: Lead
}

const mostMessages = 50
/** The pause before the next check whether the gateway and the route take events again, or whether another gateway still has the task. */
const lookAgainMs = 5_000
/** The pause after a page without messages that is not the last: the sender moves on. */
const emptyPageMs = 500
const longestPauseMs = 5 * minuteMs
/** For how long ids are kept at least, so that a page that comes again after a weekend is known. */
const claimMs = 73 * hourMs
/** How often a message whose work fails in this gateway (500, 502) is tried before it is given up, so that the others come through. */
const maxFailures = 8

const pauseAfter = backOff({ first: 1_000, most: longestPauseMs })

type Counts = { taken: number; refused: number; givenUp: number }

export class RoutePoll {
  readonly #effects: PollEffects
  readonly #name: string
  readonly #scope = new Scope()
  readonly #counts: Counts = { taken: 0, refused: 0, givenUp: 0 }
  #state: PollState['state'] = 'waiting'
  #since: number
  #reason: string | undefined
  #polledAt: number | undefined
  /** The position of the page that was taken last; absent where only the sender knows. */
  #taken: string | undefined
  #url: string | undefined
  /** Distinguishes the page that was taken last from others: its position and the ids of its messages. */
  #page = ''
  #limit = mostMessages
  #failures = 0
  /** How many positions of its own the sender has refused since it took the last. */
  #badPositions = 0
  /** Until when no other gateway polls the endpoint: monotonic time. */
  #leadsUntil = 0

  constructor(name: string, effects: PollEffects) {
    this.#effects = effects
    this.#name = name
    this.#since = effects.clock.now()
    const loop = this.#run()
    this.#scope.defer(() => loop)
  }

  view(): PollState {
    const { taken, refused, givenUp } = this.#counts
    return {
      route: this.#name,
      url: this.#settings?.url ?? '',
      state: this.#state,
      since: new Date(this.#since).toISOString(),
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      ...(this.#polledAt === undefined ? {} : { polled_at: new Date(this.#polledAt).toISOString() }),
      taken,
      refused,
      given_up: givenUp,
    }
  }

  /** Reads nothing more, and lets the message in progress end. */
  close(): Promise<void> {
    return this.#scope.close()
  }

  get #settings(): PollSettings | undefined {
    return this.#effects.served(this.#name)?.source.spec.poll
  }

  get #everyMs(): number {
    return (this.#settings?.every_seconds ?? defaults.poll.every_seconds) * 1_000
  }

  async #run(): Promise<void> {
    while (!this.#scope.isClosed) {
      try {
        await this.#pause(await this.#turn())
      } catch (error) {
        // The store does not answer.
        this.#taken = undefined
        await this.#pause(this.#failed(messageOf(error)))
      }
    }
  }

  /** Reads a page and takes it. Resolves to the pause before the next page. Rejects with a StoreFault. */
  async #turn(): Promise<number> {
    const settings = this.#settings
    const why = this.#whyNot()
    if (!settings || why !== undefined) return this.#waits('waiting', why)
    if (!(await this.#lead())) return this.#waits('elsewhere', 'another gateway polls')
    // Another endpoint has other positions.
    if (settings.url !== this.#url) this.#taken = undefined
    this.#url = settings.url
    const page = await pollPage(settings, { taken: this.#taken, limit: this.#limit }, this.#effects.clock)
    if (this.#scope.isClosed) return 0
    if (!page.ok) return this.#unread(page)
    const shown = [page.position, ...page.messages.map(({ id }) => id)].join('\n')
    // An endpoint that does not move on would be read without a pause, and each repeat counted.
    if (this.#taken !== undefined && page.messages.length > 0 && shown === this.#page)
      return this.#failed('the polling endpoint gives the same page again')
    this.#page = shown
    if (this.#taken !== undefined) this.#badPositions = 0
    this.#reached()
    const isTaken = await this.#takeAll(page)
    this.#taken = isTaken ? page.position : undefined
    if (!isTaken) return lookAgainMs
    if (page.messages.length > 0) return 0
    return page.isLast ? this.#everyMs : emptyPageMs
  }

  #whyNot(): string | undefined {
    if (!this.#effects.isReady()) return 'the gateway takes no events'
    return this.#effects.isPaused(this.#name) ? 'the route is paused' : undefined
  }

  /** Holds the endpoint for this gateway. Where another one may have polled meanwhile, the sender is asked for the position. */
  async #lead(): Promise<boolean> {
    const { clock, lead } = this.#effects
    const leaseMs = minuteMs + this.#everyMs
    const now = clock.monotonic()
    if (now < this.#leadsUntil - leaseMs / 2) return true
    if (now >= this.#leadsUntil) this.#taken = undefined
    const leads = await lead(`poll/${this.#name}`, leaseMs)
    this.#leadsUntil = leads ? now + leaseMs : 0
    return leads
  }

  /** Resolves to `false` where a part of the page is left, because the gateway stops or another one goes on. Rejects with a StoreFault. */
  async #takeAll({ messages, malformed }: PolledPage): Promise<boolean> {
    for (const message of messages) if (!(await this.#settle(message))) return false
    if (malformed > 0) {
      this.#counts.refused += malformed
      this.#effects.log('warn', { route: this.#name, count: malformed }, 'polled messages without id, type or payload were passed over')
    }
    return true
  }

  /** Works on a message until its outcome is settled. Resolves to `false` where it is not. Rejects with a StoreFault. */
  async #settle({ id, eventType, headers, body }: PolledMessage): Promise<boolean> {
    const given = { ...headers, 'svix-id': id, [pulledTypeHeader]: eventType }
    for (let tries = 0; !this.#scope.isClosed; ) {
      const served = this.#effects.served(this.#name)
      if (!served || !(await this.#lead())) return false
      const wait = this.#whyNot()
      if (wait !== undefined) {
        await this.#pause(this.#waits('waiting', wait))
        continue
      }
      const outcome = await this.#effects.take(served, { body, deliveryId: id, headers: given, claimMs })
      if (!outcome) return false
      if (this.#isSettled(id, outcome, ++tries)) return true
      const retryAfterMs = outcome.kind === 'refused' ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0
      this.#became('waiting', `a message is tried again: ${outcomeName(outcome)}`)
      await this.#pause(Math.min(longestPauseMs, Math.max(pauseAfter(tries), retryAfterMs)))
    }
    return false
  }

  /** Whether a message need not be tried again: it was taken, refused for good, or failed too often. */
  #isSettled(id: string, outcome: Outcome, tries: number): boolean {
    const again = outcome.kind === 'refused' ? refusalRow(outcome).again : undefined
    if (outcome.kind !== 'refused') this.#counts.taken++
    else if (again === undefined) this.#counts.refused++
    else if (again !== 'item' || tries < maxFailures) return false
    else {
      this.#counts.givenUp++
      const fields = { route: this.#name, delivery_id: id, outcome: outcomeName(outcome), tries }
      this.#effects.log('error', fields, 'a polled message was given up: headgate events replay takes it from its record')
    }
    this.#became('polling')
    return true
  }

  /** Returns the pause after a page that could not be read. */
  #unread({ why, retryAfterMs = 0, isTooLong, isBadPosition }: PollFailure): number {
    if (isBadPosition) {
      this.#taken = undefined
      if (++this.#badPositions === 3)
        this.#effects.log('warn', { route: this.#name, reason: why }, 'the polling endpoint refuses its own positions: pages come again')
      return pauseAfter(this.#badPositions)
    }
    if (isTooLong && this.#limit > 1) {
      this.#limit = Math.ceil(this.#limit / 4)
      return emptyPageMs
    }
    return Math.max(this.#failed(why), retryAfterMs)
  }

  #reached(): void {
    this.#failures = 0
    this.#limit = mostMessages
    this.#polledAt = this.#effects.clock.now()
    if (this.#state === 'failing') this.#effects.log('info', { route: this.#name }, 'polling goes on')
    this.#became('polling')
  }

  /** Returns the pause before the next try. */
  #failed(reason: string): number {
    const isNew = this.#state !== 'failing' || this.#reason !== reason
    if (isNew) this.#effects.log('warn', { route: this.#name, reason }, 'polling failed: the messages wait at the sender')
    this.#became('failing', reason)
    return pauseAfter(++this.#failures)
  }

  #waits(state: PollState['state'], reason: string | undefined): number {
    this.#became(state, reason)
    return lookAgainMs
  }

  #pause(ms: number): Promise<void> {
    return pause(ms, this.#effects.clock, this.#scope.signal)
  }

  #became(state: PollState['state'], reason?: string): void {
    if (this.#state !== state) this.#since = this.#effects.clock.now()
    this.#state = state
    this.#reason = reason
  }
}
