/** The store that forgets: the same contract as the durable one, in Maps with caps (contract 5: for tests, or asked for). */

import type { Clock } from '../../core/clock.ts'
import { StoreFault } from '../../core/fault.ts'
import type { Claim, Lease, NewRun, RunEnd, Store } from '../ports.ts'

type Held = { expiresAt: number; settled: boolean }

type Entry = {
  readonly id: number
  readonly run: NewRun
  fence: number
  /** Also after the lease ran out, until the run is taken again or finished. */
  leased: boolean
  /** When a run that was taken before is due again: its lease's end, or the time its worker named. */
  dueAt: number
  reply?: string
}

const byDueTime = (a: Entry, b: Entry): number => a.dueAt - b.dueAt || a.id - b.id

class MemoryStore implements Store {
  readonly #clock: Clock
  readonly #maxClaims: number
  /** In the order of their expiry, as near as the callers' clocks allow. */
  readonly #claims = new Map<string, Held>()
  /** Never taken, in the order of their acceptance. */
  readonly #fresh = new Map<number, Entry>()
  /** Taken at least once: leased, or waiting for another try. */
  readonly #tried = new Map<number, Entry>()
  #lastId = 0
  #closed = false

  constructor(clock: Clock, maxClaims: number) {
    this.#clock = clock
    this.#maxClaims = maxClaims
  }

  get backlog(): number {
    return this.#fresh.size + this.#tried.size
  }

  async accept(run: NewRun, claim: Claim): Promise<boolean> {
    this.#check()
    if (!this.#hold(claim, true, this.backlog)) return false
    const id = ++this.#lastId
    this.#fresh.set(id, { id, run, fence: 0, leased: false, dueAt: 0 })
    return true
  }

  async claim(claim: Claim): Promise<boolean> {
    this.#check()
    return this.#hold(claim, false, 0)
  }

  async settle(key: string, kept: boolean): Promise<void> {
    this.#check()
    const held = this.#claims.get(key)
    if (held === undefined || held.settled) return
    if (kept) held.settled = true
    else this.#claims.delete(key)
  }

  async take(max: number, leaseMs: number): Promise<readonly Lease[]> {
    this.#check()
    const now = this.#clock.monotonic()
    const due = [...this.#tried.values()].filter((entry) => entry.dueAt <= now).sort(byDueTime)
    const entries = due.slice(0, max)
    for (const entry of this.#fresh.values()) {
      if (entries.length >= max) break
      entries.push(entry)
    }
    return entries.map((entry) => this.#lease(entry, now + leaseMs))
  }

  async keepReply(lease: Lease, reply: string): Promise<boolean> {
    this.#check()
    const entry = this.#holding(lease)
    if (entry === undefined) return false
    entry.reply = reply
    return true
  }

  async finish(lease: Lease, end: RunEnd): Promise<boolean> {
    this.#check()
    const entry = this.#holding(lease)
    if (entry === undefined) return false
    entry.leased = false
    if (end.kind === 'again') entry.dueAt = end.at
    else this.#tried.delete(entry.id)
    return true
  }

  async nextDue(): Promise<number | undefined> {
    this.#check()
    if (this.#fresh.size > 0) return this.#clock.monotonic()
    let next: number | undefined
    for (const { dueAt } of this.#tried.values()) next = next === undefined ? dueAt : Math.min(next, dueAt)
    return next
  }

  async close(): Promise<void> {
    this.#closed = true
  }

  #check(): void {
    if (this.#closed) throw new StoreFault('the store is closed')
  }

  #hold(claim: Claim, settled: boolean, backlog: number): boolean {
    const now = this.#clock.monotonic()
    this.#prune(now)
    const held = this.#claims.get(claim.key)
    if (held !== undefined && held.expiresAt > now) return false
    this.#claims.delete(claim.key)
    // A claim that still holds is never given up for room: its sender's retry would work twice.
    if (Math.max(this.#claims.size, backlog) >= this.#maxClaims) throw new StoreFault('the memory store is full')
    this.#claims.set(claim.key, { expiresAt: claim.expiresAt, settled })
    return true
  }

  #prune(now: number): void {
    for (const [key, held] of this.#claims) {
      if (held.expiresAt > now) return
      this.#claims.delete(key)
    }
  }

  #lease(entry: Entry, until: number): Lease {
    const interrupted = entry.leased
    entry.fence++
    entry.leased = true
    entry.dueAt = until
    this.#fresh.delete(entry.id)
    this.#tried.set(entry.id, entry)
    const lease = { runId: entry.id, fence: entry.fence, attempt: entry.fence, interrupted, run: entry.run }
    return entry.reply === undefined ? lease : { ...lease, reply: entry.reply }
  }

  #holding(lease: Lease): Entry | undefined {
    const entry = this.#tried.get(lease.runId)
    return entry?.leased && entry.fence === lease.fence ? entry : undefined
  }
}

/** Holds at most `maxClaims` ids and as many runs; past that it refuses with StoreFault. */
export const openMemory = (options: { readonly clock: Clock; readonly maxClaims?: number }): Store =>
  new MemoryStore(options.clock, options.maxClaims ?? 1_000_000)
