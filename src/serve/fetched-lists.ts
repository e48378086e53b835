/**
 * Fetches the lists at web addresses that conditions ask (`in_list: { url }`), and keeps the last good answer of each. It lives as long as the
 * gateway: conditions with equal questions share a list, and a reload keeps it.
 */

import { createHash } from 'node:crypto'
import { type Clock, minuteMs } from '../core/clock.ts'
import type { Facts } from '../core/facts/facts.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { Scope } from '../core/scope.ts'
import { backOff } from '../core/turns/back-off.ts'
import { type Repeating, repeat } from '../core/turns/repeat.ts'
import { createSlots, type Slots } from '../core/turns/slots.ts'
import { within } from '../core/turns/within.ts'
import { parseAnswer } from '../expr/answered-list.ts'
import { inTurns } from '../expr/list-file.ts'
import { type FetchedListSpec, type NamedList, type OpenedList, UnavailableList } from '../expr/named-lists.ts'
import type { Status } from '../generated/control.ts'
import { shownAddress } from '../parts/operators/in-list.ts'
import { parseRetryAfter } from '../parts/retry-after.ts'
import { getText } from '../parts/web/get-text.ts'
import type { WebAccess } from '../parts/web/web-access.ts'

const maxBytes = 4 * 1024 * 1024
const timeoutMs = 30_000
/** The most values of all lists together: they are in memory. */
const maxValues = 1_000_000
/** The most fetches at once, and the most that wait for their turn. */
const maxAtOnce = 4
const maxWaitingFetches = 1_000
/** How long an event waits for the first answer after a start, and how many events may wait for it. */
const firstWaitMs = 3_000
const maxWaitingEvents = 100
/** The wait after a failure, until it reaches that after a success. */
const firstRetryMs = 10_000

type FetchedListView = NonNullable<Status['lists']>[number]

type FetchedListsOptions = {
  readonly clock: Clock
  readonly log: Log
  readonly facts: Pick<Facts, 'emit'>
  /** What may be reached where only public addresses may. */
  readonly web?: WebAccess | undefined
}

/** What the lists of a gateway share. `room`: how many values a list may have beside the others. */
type Around = FetchedListsOptions & { readonly slots: Slots; readonly room: (list: FetchedList) => number }

export class FetchedLists {
  readonly #around: Around
  readonly #lists = new Map<string, FetchedList>()

  constructor(options: FetchedListsOptions) {
    const room = (list: FetchedList): number =>
      [...this.#lists.values()].reduce((left, each) => (each === list ? left : left - each.size), maxValues)
    this.#around = { ...options, slots: createSlots(() => maxAtOnce, maxWaitingFetches), room }
  }

  /** Opens a list. The first fetch begins when the present work has ended, so a configuration that is refused at once fetches nothing. */
  open(spec: FetchedListSpec): OpenedList {
    // The settings of the list are hashed to its key, so that no credential in their headers is kept as a key.
    const key = createHash('sha256').update(JSON.stringify(spec)).digest('base64url')
    const known = this.#lists.get(key)
    known?.scope.hold()
    const list = known ?? new FetchedList(spec, this.#around)
    if (!known) {
      this.#lists.set(key, list)
      list.scope.defer(() => this.#lists.delete(key))
    }
    return { ask: () => list.ask(), close: () => list.scope.release() }
  }

  /** Returns the state of each list. */
  views(): readonly FetchedListView[] {
    return [...this.#lists.values()].map((list) => list.view())
  }
}

/** The last good answer. `at`: the monotonic time at which the server last said it. */
type Kept = {
  readonly list: NamedList
  readonly at: number
  readonly fetchedAt: number
  readonly validators: { readonly [name: string]: string }
}

type Failure = { readonly since: number; readonly why: string; readonly times: number; readonly retryAfterMs: number }

class FetchedList {
  /** Held by each condition that asks the list. */
  readonly scope = new Scope()
  readonly #spec: FetchedListSpec
  readonly #around: Around
  readonly #address: string
  readonly #first: Promise<void>
  #kept: Kept | undefined
  #failure: Failure | undefined
  #waiting = 0

  constructor(spec: FetchedListSpec, around: Around) {
    this.#spec = spec
    this.#around = around
    this.#address = shownAddress(spec.url)
    const repeating: Repeating = repeat(
      around.clock,
      () => this.#pauseMs(),
      () => this.#refresh(),
      { scope: this.scope },
    )
    this.#first = Promise.resolve().then(() => repeating.now())
  }

  get size(): number {
    return this.#kept?.list.texts.size ?? 0
  }

  ask(): NamedList | Promise<NamedList> {
    const list = this.#present()
    if (list) return list
    const isFirst = !this.#kept && !this.#failure
    if (!isFirst || this.#waiting >= maxWaitingEvents) throw this.#unavailable()
    return this.#afterFirst()
  }

  view(): FetchedListView {
    const { clock } = this.#around
    return {
      address: this.#address,
      usable: this.#present() !== undefined,
      values: this.#kept ? this.size : null,
      fetched_at: this.#kept ? new Date(this.#kept.fetchedAt).toISOString() : null,
      age_seconds: this.#kept ? Math.round((clock.monotonic() - this.#kept.at) / 1000) : null,
      ...(this.#failure
        ? { failure: { since: new Date(this.#failure.since).toISOString(), reason: this.#failure.why, times: this.#failure.times } }
        : {}),
    }
  }

  #present(): NamedList | undefined {
    if (!this.#kept) return undefined
    return this.#around.clock.monotonic() - this.#kept.at > this.#spec.maxAgeMinutes * minuteMs ? undefined : this.#kept.list
  }

  async #afterFirst(): Promise<NamedList> {
    this.#waiting++
    try {
      await within(this.#first, firstWaitMs, this.#around.clock, () => {})
    } finally {
      this.#waiting--
    }
    const list = this.#present()
    if (!list) throw this.#unavailable()
    return list
  }

  #unavailable(): UnavailableList {
    const state = this.#kept ? `is older than ${this.#spec.maxAgeMinutes} minutes` : 'was not fetched yet'
    return new UnavailableList(`the list of ${this.#address} ${state}${this.#failure ? `: ${this.#failure.why}` : ''}`)
  }

  #pauseMs(): number {
    const usualMs = this.#spec.refreshMinutes * minuteMs
    if (!this.#failure) return usualMs
    const { times, retryAfterMs } = this.#failure
    return Math.max(retryAfterMs, backOff({ first: firstRetryMs, most: usualMs, jitter: 0.2 })(times))
  }

  async #refresh(): Promise<void> {
    const { slots } = this.#around
    try {
      const isDone = await slots.run(() => this.#askOnce())
      if (!isDone) this.#fail('too many lists are fetched at once')
    } catch (thrown) {
      if (!this.scope.isClosed) this.#fail(messageOf(thrown))
    }
  }

  /** Fetches the list once. Rejects with an Error, whose message people may see, where the fetch fails or the list is closed meanwhile. */
  async #askOnce(): Promise<true> {
    const { clock, web } = this.#around
    const { url, isPublicOnly } = this.#spec
    const accept = 'application/json, text/plain;q=0.9, */*;q=0.5'
    const headers = { accept, ...this.#spec.headers, ...this.#kept?.validators }
    const { signal } = this.scope
    const { status, header, text } = await getText({ url, headers, maxBytes, isPublicOnly, timeoutMs, clock, signal }, web)
    const at = clock.monotonic()
    if (status === 304 && this.#kept) this.#succeed({ ...this.#kept, at, fetchedAt: clock.now() })
    else if (status >= 200 && status <= 299) {
      const list = await inTurns(parseAnswer(text, this.#spec, header('content-type')))
      signal.throwIfAborted()
      if (list.texts.size > this.#around.room(this)) throw new Error(`all fetched lists together would have more than ${maxValues} values`)
      this.#succeed({ list, at, fetchedAt: clock.now(), validators: validatorsOf(header) })
    } else {
      const redirect = status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''
      const asked = [429, 503].includes(status) ? parseRetryAfter(header('retry-after') ?? '', clock.now()) : undefined
      this.#fail(`the server answered HTTP ${status}${redirect}`, asked)
    }
    return true
  }

  #succeed(kept: Kept): void {
    const { log } = this.#around
    if (this.#failure) log('info', { list: this.#address, values: kept.list.texts.size }, 'a list is fetched again')
    this.#kept = kept
    this.#failure = undefined
    this.#count(true)
  }

  /** Notes a failure. The log has the first of those in a row. */
  #fail(why: string, retryAfterMs = 0): void {
    const { log, clock } = this.#around
    const before = this.#failure
    this.#failure = { since: before?.since ?? clock.now(), why, times: (before?.times ?? 0) + 1, retryAfterMs }
    if (!before) {
      const until = this.#kept ? `the one before it counts for ${this.#spec.maxAgeMinutes} minutes` : 'events that need it get 503'
      log('warn', { list: this.#address, reason: why }, `a list could not be fetched: ${until}`)
    }
    this.#count(false)
  }

  #count(ok: boolean): void {
    this.#around.facts.emit({ kind: 'list_fetched', list: this.#address, ok })
  }
}

/** Returns the headers by which the next fetch asks whether the list has changed. */
const validatorsOf = (header: (name: string) => string | undefined): Kept['validators'] => {
  const [etag, modified] = [header('etag'), header('last-modified')]
  return { ...(etag ? { 'if-none-match': etag } : {}), ...(modified ? { 'if-modified-since': modified } : {}) }
}
