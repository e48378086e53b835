/**
 * All breakers of a gateway: one for each target and address whose receiver has failed and has not taken a text since. They are kept in
 * memory only, and each gateway has its own.
 */

import type { Clock } from '../../core/clock.ts'
import type { Facts } from '../../core/facts/facts.ts'
import { receiverState } from '../../parts/targets/delivery/receiver.ts'
import type { Outgoing, Sent, Unsent } from '../../parts/targets/target.ts'
import type { GivenBack, Lease, RunId } from '../../store/ports.ts'
import { type Breaker, type BreakerSettings, createBreaker } from './breaker.ts'
import { OutageRuns } from './waiting-runs.ts'

/** The receiver that a breaker stands for: a target's name, and the address that its texts go to, which may be empty. */
export type Receiver = { readonly target: string; readonly address: string }

const receiverKey = ({ target, address }: Receiver): string => `${target}\n${address}`

const receiverText = ({ target, address }: Receiver): string => (address === '' ? target : `${target} at ${address}`)

/** The most breakers. Past them, a breaker that is closed is forgotten; where none is closed, further addresses have no breaker. */
const maxBreakers = 1_000
/** How many failures of one text do not count as attempts, though no other text has failed. */
const maxSpared = 20
/** The most texts whose uncounted failures are remembered. Past them the oldest text is forgotten. */
const maxSparedTexts = 10_000

/** A breaker that is not closed. Times are wall times, in milliseconds. `waiting`: the number of runs that wait for it. */
export type OpenBreaker = Receiver & {
  readonly state: 'open' | 'half_open'
  readonly reason: string
  readonly openedAt: number
  readonly retryAt: number
  readonly waiting: number
}

/**
 * The result of a sending, and what the breakers know of it. `outage` is present where the receiver fails with other texts too. `held`:
 * nothing was sent, because the breaker is not closed. `open`: the sending failed, and the breaker is open. `suspected`: the sending failed
 * as the sendings of other texts did, and the breaker is still closed.
 */
export type Sending = Sent & { readonly outage?: 'held' | 'open' | 'suspected' }

export type BreakersOptions = {
  readonly clock: Clock
  readonly facts: Pick<Facts, 'emit'>
  /** Returns the settings as they are now; `undefined` where the breakers are switched off. */
  readonly settings: () => BreakerSettings | undefined
  /** Makes runs due that wait in the store since an attempt gave them back. Never rejects. */
  readonly makeDue: (runs: readonly GivenBack[]) => Promise<void>
  readonly random?: () => number
}

type Entry = {
  readonly receiver: Receiver
  readonly breaker: Breaker
  readonly runs: OutageRuns
  /** Since when the breaker is not closed, or the receiver is down: wall time, milliseconds. `undefined` while the breaker is closed. */
  openedAt: number | undefined
  /** As in `Breaker`, at the last change. */
  isAsked: boolean
}

export class Breakers {
  readonly #options: BreakersOptions
  readonly #entries = new Map<string, Entry>()
  /** The number of uncounted failures of each text that has not arrived, by the text's key. */
  readonly #spared = new Map<string, number>()

  constructor(options: BreakersOptions) {
    this.#options = options
  }

  /**
   * Sends a text by `send`, unless the breaker of its receiver holds it back. `send` calls `postponed` with each failure after which it
   * posts the same text again.
   */
  async send(receiver: Receiver, outgoing: Outgoing, send: (postponed: (failed: Unsent) => void) => Promise<Sent>): Promise<Sending> {
    if (!this.#options.settings()) return send(() => {})
    const entry = this.#entries.get(receiverKey(receiver))
    // A text that may have arrived already is not held back, because only this attempt knows of the doubt.
    const pass = entry && !outgoing.doubtful ? entry.breaker.begin() : 'free'
    if (entry && pass === 'held') return this.#heldBack(entry)
    let isTrial = pass === 'trial'
    const ended = (sent: Sent): Sending => {
      const sending = this.#ended(receiver, outgoing, sent, isTrial)
      isTrial = false
      return sending
    }
    return ended(await send(ended))
  }

  /** The number of breakers that are not closed. */
  get open(): number {
    let count = 0
    for (const { breaker } of this.#entries.values()) if (breaker.state !== 'closed') count++
    return count
  }

  /** Whether a text to the receiver would be held back now, unless an earlier attempt may have delivered it. */
  isHeld(receiver: Receiver): boolean {
    const breaker = this.#openEntry(receiver)?.breaker
    return breaker !== undefined && (breaker.state === 'half_open' || this.#now() < breaker.retryAt)
  }

  /**
   * Whether a run without a reply may begin. While the breaker is not closed, one run at a time may begin once the next trial is due: its
   * reply is the trial.
   */
  mayBegin(receiver: Receiver, runId: RunId): boolean {
    const entry = this.#openEntry(receiver)
    return entry === undefined || (!this.isHeld(receiver) && entry.runs.letBegin(runId))
  }

  isClosed(receiver: Receiver): boolean {
    return this.#openEntry(receiver) === undefined
  }

  /**
   * Returns the longest wait of a run that is given back, in milliseconds: until the first of its receivers has a trial, and then as long
   * as the longest wait between two trials. The wait mostly ends earlier, because the run of a trial is made due for it, and all other runs
   * are made due when the breaker closes.
   */
  waitMs(receivers: readonly Receiver[]): number {
    const longest = this.#options.settings()?.longestWaitMs ?? 0
    return longest + Math.max(0, Math.min(...receivers.map((receiver) => this.#msToTrial(receiver))))
  }

  /**
   * Notes that the store has the end of an attempt. `waitsFor`: the receivers that the run waits for. Where the breaker of such a receiver
   * has closed meanwhile, the run is made due at once.
   */
  ended(lease: Lease, waitsFor: readonly Receiver[], hasReply: boolean): void {
    const entries = waitsFor.map((receiver) => this.#openEntry(receiver))
    if (entries.includes(undefined)) void this.#options.makeDue([lease])
    for (const entry of this.#entries.values()) {
      if (entries.includes(entry)) entry.runs.add(lease, hasReply)
      else entry.runs.delete(lease.runId)
    }
  }

  /** Returns the breakers that are not closed, in the order in which their receivers first failed. */
  list(): readonly OpenBreaker[] {
    return [...this.#entries.values()].flatMap(({ receiver, breaker, openedAt, runs }) => {
      const { state, reason, retryAt } = breaker
      if (state === 'closed' || openedAt === undefined) return []
      return { ...receiver, state, reason, openedAt, retryAt: this.#wallTime(retryAt), waiting: runs.size }
    })
  }

  /**
   * Closes the breakers of a target, or the breaker of one address. Where runs wait for a breaker, it is not closed, but its next trial is
   * made due now: if the receiver still failed, each of these runs would spend an attempt. Returns the receivers of the breakers that were
   * not closed before.
   */
  reset(target: string, address?: string): readonly Receiver[] {
    const chosen = [...this.#entries.values()].filter(
      ({ receiver, breaker }) =>
        breaker.state !== 'closed' && receiver.target === target && (address ?? receiver.address) === receiver.address,
    )
    for (const { breaker, runs } of chosen)
      if (runs.size > 0) breaker.tryNow()
      else breaker.reset()
    return chosen.map(({ receiver }) => receiver)
  }

  close(): void {
    for (const { runs } of this.#entries.values()) runs.close()
    this.#entries.clear()
  }

  #now(): number {
    return this.#options.clock.monotonic()
  }

  #wallTime(monotonic: number): number {
    return Math.round(this.#options.clock.now() + monotonic - this.#now())
  }

  #openEntry(receiver: Receiver): Entry | undefined {
    const entry = this.#options.settings() && this.#entries.get(receiverKey(receiver))
    return entry && entry.breaker.state !== 'closed' ? entry : undefined
  }

  #msToTrial(receiver: Receiver): number {
    const entry = this.#openEntry(receiver)
    return entry ? entry.breaker.retryAt - this.#now() : 0
  }

  #heldBack({ receiver, breaker }: Entry): Sending {
    const retryAfterMs = Math.max(1_000, breaker.retryAt - this.#now())
    return {
      ok: false,
      why: `waits until ${receiverText(receiver)} works again (${breaker.reason})`,
      repeatable: true,
      retryAfterMs,
      outage: 'held',
    }
  }

  /** Gives the breaker the result of a sending. Returns the result, with `outage` where the receiver fails with other texts too. */
  #ended(receiver: Receiver, outgoing: Outgoing, sent: Sent, isTrial: boolean): Sending {
    const state = receiverState(sent)
    const entry = this.#entries.get(receiverKey(receiver)) ?? (state === 'down' ? this.#add(receiver) : undefined)
    if (!entry) return sent
    const { profile, route, job, deliveryId } = outgoing
    const text = JSON.stringify([profile, route, job ?? '', deliveryId])
    entry.breaker.end(sent, text, isTrial)
    if (state === 'up') this.#entries.delete(receiverKey(receiver))
    if (sent.ok || state !== 'down') {
      this.#spared.delete(text)
      return sent
    }
    const outage = this.#outageOf(entry.breaker, text, outgoing.resumed === true)
    return outage === undefined ? sent : { ...sent, outage }
  }

  /**
   * Whether the failure of a text is an outage of its receiver, and counts as no attempt. A receiver that asks to wait need not be down;
   * and after a crash, the other texts to a receiver may still wait in the store, so that nothing shows whether they fail too. In these two
   * cases the first failures of a text count as no attempts.
   */
  #outageOf({ state, isSuspected, isAsked }: Breaker, text: string, isResumed: boolean): 'open' | 'suspected' | undefined {
    const [isClosed, spared] = [state === 'closed', this.#spared.get(text)]
    if (isSuspected || (!isClosed && !isAsked)) return isClosed ? 'suspected' : 'open'
    if ((isClosed && !isResumed && spared === undefined) || (spared ?? 0) >= maxSpared) return undefined
    this.#spared.delete(text)
    for (const [oldest] of this.#spared) if (this.#spared.size >= maxSparedTexts) this.#spared.delete(oldest)
    this.#spared.set(text, (spared ?? 0) + 1)
    return isClosed ? 'suspected' : 'open'
  }

  /** Adds a closed breaker. `undefined` where there are too many breakers, and none of them is closed. */
  #add(receiver: Receiver): Entry | undefined {
    if (this.#entries.size >= maxBreakers) {
      const [closed] = [...this.#entries].find(([, { breaker }]) => breaker.state === 'closed') ?? []
      if (closed === undefined) return undefined
      this.#entries.delete(closed)
    }
    const { clock, settings, makeDue, random = Math.random } = this.#options
    const breaker = createBreaker({
      settings: () => settings() ?? { failures: Number.POSITIVE_INFINITY, longestWaitMs: 0 },
      now: () => this.#now(),
      random,
      changed: (isReset) => this.#changed(entry, isReset),
    })
    const entry: Entry = { receiver, breaker, runs: new OutageRuns({ clock, breaker, makeDue }), openedAt: undefined, isAsked: false }
    this.#entries.set(receiverKey(receiver), entry)
    return entry
  }

  #changed(entry: Entry, isReset: boolean): void {
    const { receiver, breaker, runs } = entry
    const { state, reason } = breaker
    const at = this.#options.clock.now()
    if (entry.openedAt === undefined || (entry.isAsked && !breaker.isAsked)) entry.openedAt = at
    entry.isAsked = breaker.isAsked
    const { openedAt, isAsked } = entry
    const retryAt = state === 'open' ? { retryAt: this.#wallTime(breaker.retryAt) } : {}
    const more = { ...retryAt, ...(isReset ? { isReset } : {}), ...(isAsked ? { isAsked } : {}) }
    this.#options.facts.emit({ kind: 'breaker_changed', at, ...receiver, state, reason, openedAt, ...more })
    runs.setTimer()
    if (state !== 'closed') return
    this.#entries.delete(receiverKey(receiver))
    void runs.release()
  }
}
