/** Decides whether a gateway is ready, for `/readyz`: it is not stopping, its version can read the store, and the store answers. */

import type { Clock } from '../core/clock.ts'
import type { Facts, Observer } from '../core/facts/facts.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { type Repeating, repeat } from '../core/turns/repeat.ts'
import type { OpenStore } from '../store/store-part.ts'

/**
 * How long the store may fail before the gateway stops being ready. During a shorter failure, only the requests that need the store get a
 * 503.
 */
const maxFailureMs = 5_000
const askStoreEveryMs = 1_000
/** The claim that is made to see whether the store can be written again. After a full or broken disk, only a write shows that. */
const testClaim = { key: 'a trial whether the store can be written', holdMs: 1 }

type ReadinessOptions = {
  readonly store: Pick<OpenStore, 'claim' | 'dueInMs' | 'shared'>
  readonly clock: Clock
  readonly log: Log
  readonly facts: Pick<Facts, 'emit'>
  readonly stopping: () => boolean
  /** Whether a later version of headgate has changed the store so that this version cannot read it. */
  readonly isTooNew: () => boolean
}

/**
 * Notices a failing store by the requests that the gateway refuses as unavailable, and then asks the store each second until it answers. A
 * shared store is asked each second all the time, because its server may fail while no request comes.
 */
export class Readiness implements Observer {
  readonly handlers: Observer['handlers'] = {
    request_ended: ({ ended: { outcome } }) => {
      if (outcome.kind !== 'refused' || outcome.code !== 'unavailable') return
      this.#hasRefused = true
      this.#fail(this.#options.clock.monotonic(), outcome.detail ?? '')
    },
  }
  readonly #options: ReadinessOptions
  /**
   * The present failure of the store. `since`: the monotonic time at which the first failed call began, or at which a refused request was
   * noticed.
   */
  #failure: { readonly since: number; why: string } | undefined
  /** The problem of the store in the last log line; `undefined` before any such line, and after the line `ready again`. */
  #logged: string | undefined
  /**
   * Whether a request was refused since the store was last asked. Then an answer of the store is no end of its failure: on a full disk the
   * small write of `testClaim` succeeds where an event does not fit any more.
   */
  #hasRefused = false
  #isClosed = false
  /** Asks the store each second; `undefined` while that need not be. */
  #polling: Repeating | undefined

  constructor(options: ReadinessOptions) {
    this.#options = options
    if (options.store.shared) this.#ask()
  }

  /** Returns why the gateway should get no requests; `undefined` where it should get them. */
  reason(): string | undefined {
    return this.#options.stopping() ? 'it is stopping' : this.#storeProblem()
  }

  /** Resolves when the store is not asked any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#polling?.stop()
  }

  #storeProblem(): string | undefined {
    const { clock, isTooNew } = this.#options
    if (isTooNew()) return 'a later version of headgate has changed the store'
    if (this.#failure === undefined || clock.monotonic() - this.#failure.since < maxFailureMs) return undefined
    return `the store does not answer: ${this.#failure.why}`
  }

  #fail(since: number, why: string): void {
    if (this.#failure) this.#failure.why = why
    else this.#failure = { since, why }
    this.#ask()
  }

  #ask(): void {
    if (!this.#isClosed) this.#polling ??= repeat(this.#options.clock, askStoreEveryMs, () => this.#askStore())
  }

  async #askStore(): Promise<void> {
    const { store, clock } = this.#options
    const since = clock.monotonic()
    const hasRefused = this.#hasRefused
    this.#hasRefused = false
    try {
      await (this.#failure ? store.claim(testClaim) : store.dueInMs())
      // Since the store was last asked, the failure may have passed five seconds, so that /readyz answered 503. The log says so first.
      this.#sayChange()
      if (!hasRefused) this.#failure = undefined
    } catch (error) {
      this.#fail(since, messageOf(error))
    }
    this.#sayChange()
    if (this.#failure || store.shared) return
    void this.#polling?.stop()
    this.#polling = undefined
  }

  /** Logs that the store made the gateway ready or not ready, and emits a fact of that. Does nothing where neither has happened. */
  #sayChange(): void {
    const problem = this.#storeProblem()
    if ((problem === undefined) === (this.#logged === undefined)) return
    this.#logged = problem
    const { log, facts, clock } = this.#options
    if (problem === undefined) log('info', {}, 'ready again')
    else log('error', { reason: problem }, 'not ready')
    facts.emit({ kind: 'readiness_changed', at: clock.now(), reason: problem })
  }
}
