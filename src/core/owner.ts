/**
 * Owners of watchers, connections and children that parts open beside their functions. An owner closes them once: when nobody uses them
 * any more, at the latest with the gateway.
 */

import type { Clock } from './clock.ts'
import { messageOf } from './fault.ts'
import type { Log, LogFields } from './log.ts'
import { failLate, within } from './turns/within.ts'

type Close = () => void | Promise<void>

/**
 * The result of a part's `compile`: a function, or a function with the `close` of what it owns.
 * @example
 * compile(path) {
 *   const watcher = watch(String(path))
 *   return { run: (value) => watcher.has(value), close: () => watcher.close() }
 * }
 */
export type Closable<F> = F | { readonly run: F; readonly close: Close }

/** Takes the result of a `compile`, and returns the bare function. The owner that adopts the result calls its `close` later. */
export type Adopt = <F>(made: Closable<F>) => F

/** An owner for whoever only uses what it owns: `hold` before the use, `release` after the use. */
export type HoldableOwner = Pick<Owner, 'hold' | 'release'>

const isOpened = <F>(made: Closable<F>): made is { readonly run: F; readonly close: Close } =>
  typeof made === 'object' && made !== null && 'run' in made && 'close' in made

/** Owns what one plan, runner or set of plans has open, or what targets keep. Whoever creates it is its first holder. */
export class Owner {
  readonly #owners: Owners
  readonly #about: LogFields
  #holders = 1
  #closes: Close[] | undefined
  #isClosed = false

  constructor(owners: Owners, about: LogFields) {
    this.#owners = owners
    this.#about = about
  }

  get isEmpty(): boolean {
    return this.#closes === undefined
  }

  /** As `Adopt`. Where the owner or the gateway is closed already, what is adopted is closed at once. */
  readonly adopt: Adopt = <F>(made: Closable<F>): F => {
    if (!isOpened<F>(made)) return made
    this.#closes ??= []
    this.#closes.push(() => made.close())
    if (this.#isClosed || !this.#owners.open(this)) this.close()
    return made.run
  }

  hold(): void {
    this.#holders++
  }

  /** Closes what is open when the last holder has released. */
  release(): void {
    if (--this.#holders === 0) this.close()
  }

  /** Closes what is open, even while it is held. */
  close(): void {
    this.#isClosed = true
    const closes = this.#closes ?? []
    this.#closes = undefined
    this.#owners.shut(this, closes, this.#about)
  }
}

/** The longest wait for a `close`, in milliseconds. */
const closeMs = 5_000

/** All owners of a gateway, of dry effects, or of a test of a plugin. `close` waits until everything has been closed. */
export class Owners {
  readonly #clock: Clock
  readonly #log: Log
  readonly #open = new Set<Owner>()
  readonly #closing = new Set<Promise<void>>()
  #isOver = false

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** Creates an owner. `about`: the fields that name it in the log. */
  create(about: LogFields): Owner {
    return new Owner(this, about)
  }

  /** Closes everything that is open, even while it is in use. Resolves when each `close` has ended or was given up. */
  async close(): Promise<void> {
    this.#isOver = true
    for (const owner of this.#open) owner.close()
    await Promise.all(this.#closing)
  }

  /** Notes that an owner has something open. `false`: the gateway is closing, so nothing may be opened. */
  open(owner: Owner): boolean {
    if (!this.#isOver) this.#open.add(owner)
    return !this.#isOver
  }

  /** Begins to close what an owner had open, all at the same time, and does not wait. Only `close` waits for all closings. */
  shut(owner: Owner, closes: readonly Close[], about: LogFields): void {
    this.#open.delete(owner)
    for (const close of closes) {
      const closing = this.#shutOne(close, about).finally(() => this.#closing.delete(closing))
      this.#closing.add(closing)
    }
  }

  async #shutOne(close: Close, about: LogFields): Promise<void> {
    try {
      await within(Promise.resolve(close()), closeMs, this.#clock, failLate('it did not end', closeMs))
    } catch (error) {
      this.#log('warn', { ...about, reason: messageOf(error) }, 'what a part had open could not be closed')
    }
  }
}
