/**
 * The accepted runs of the memory store, in four places: fresh (never taken), tried (taken before, or let begin after it was parked or
 * dead), parked (waiting for their turn in a lane) and dead.
 */

import type { DeliveryProgress, NewRun } from '../../core/new-run.ts'
import type { RunEnd } from '../../core/run-end.ts'
import { Lanes } from '../lanes.ts'
import type { Cancelled, GivenBack, Lane, Lease, QueuedLane, StoredStanding } from '../ports.ts'
import { firstOf, type Priority, priorityOf } from '../priority.ts'
import type { Erased, ErasedRun } from '../store-part.ts'
import { erasedRun, hasEndKey, queuedEventOf } from '../stored.ts'
import { FreshRuns } from './fresh-runs.ts'
import { byDueTime, byEnd, byId, isDelivering, isEndable, isInProgress, type MemoryRun, standingOf } from './memory-run.ts'

export class Runs {
  readonly #fresh = new FreshRuns()
  /** Runs that were taken before, and parked or revived runs that may begin now. They are leased, due, or wait for their next attempt. */
  readonly #tried = new Map<number, MemoryRun>()
  /** Parked runs by lane, oldest first. */
  readonly #parked = new Map<string, MemoryRun[]>()
  readonly #dead = new Map<number, MemoryRun>()
  readonly #lanes = new Lanes((lane, now) => this.#beginNext(lane, now))
  #lastId = 0
  #parkedCount = 0

  /** The number of runs that are neither done nor dead. */
  get backlog(): number {
    return this.#fresh.size + this.#tried.size + this.#parkedCount
  }

  get parked(): number {
    return this.#parkedCount
  }

  /** Returns when the oldest run that is neither done nor dead was accepted: wall time, milliseconds. */
  oldestAt(): number | undefined {
    let oldest = Number.POSITIVE_INFINITY
    const firstFresh = Object.values(this.#fresh.oldest(1)).flat()
    const firstParked = [...this.#parked.values()].map(([first]) => first)
    for (const entries of [firstFresh, this.#tried.values(), firstParked])
      for (const entry of entries) oldest = Math.min(oldest, entry?.run.acceptedAt ?? oldest)
    return Number.isFinite(oldest) ? oldest : undefined
  }

  get dead(): number {
    return this.#dead.size
  }

  hasRoom({ key, limit }: Lane, now: number): boolean {
    return this.#lanes.hasRoom(key, limit, now)
  }

  /** Adds a run. Returns its entry when the run may begin, `undefined` when the run waits for its turn. */
  add(run: NewRun, lane: Lane | undefined, now: number): MemoryRun | undefined {
    const id = ++this.#lastId
    const entry = { id, run, lane, fence: 0, attempt: 0, leased: false, dueAt: 0, endedAt: 0, reply: undefined, error: undefined }
    if (lane !== undefined && !this.#lanes.enter(lane.key, lane.limit, now)) {
      this.#park(entry, lane)
      return undefined
    }
    this.#fresh.add(entry)
    return entry
  }

  take(max: number, until: number, now: number): Lease[] {
    const due = [...this.#tried.values()].filter((entry) => entry.dueAt <= now)
    const tried = due.filter(({ attempt }) => attempt > 0).sort(byDueTime)
    // Runs without an attempt come after runs with attempts. Of the runs without an attempt, the oldest come first, whether they were
    // parked or not.
    const [fresh, unparked] = [this.#fresh.oldest(max), due.filter(({ attempt }) => attempt === 0)]
    const oldest = (of: Priority): MemoryRun[] => [...unparked.filter(({ run }) => priorityOf(run) === of), ...fresh[of]].sort(byId)
    const untried = firstOf(
      { high: oldest('high'), normal: oldest('normal'), low: oldest('low') },
      ({ run }) => run.acceptedAt,
      max - Math.min(max, tried.length),
    )
    return [...tried, ...untried].slice(0, max).map((entry) => this.lease(entry, until))
  }

  lease(entry: MemoryRun, until: number): Lease {
    const interrupted = entry.leased
    entry.fence++
    entry.attempt++
    entry.leased = true
    entry.dueAt = until
    this.#fresh.delete(entry)
    this.#tried.set(entry.id, entry)
    const lease = { runId: String(entry.id), fence: entry.fence, attempt: entry.attempt, interrupted, run: entry.run }
    return { ...lease, ...entry.reply }
  }

  keepReply(lease: Lease, reply: string, progress?: DeliveryProgress): boolean {
    const entry = this.#holding(lease)
    if (entry === undefined) return false
    entry.reply = { reply, ...(progress ? { progress } : {}) }
    return true
  }

  makeDue({ runId, fence }: GivenBack, now: number): void {
    const entry = this.#tried.get(Number(runId))
    if (entry !== undefined && !entry.leased && entry.fence === fence) entry.dueAt = Math.min(entry.dueAt, now)
  }

  /** Lets the lease last until `until`. `false`: the lease is lost. */
  renew(lease: Lease, until: number): boolean {
    const entry = this.#holding(lease)
    if (entry !== undefined) entry.dueAt = until
    return entry !== undefined
  }

  finish(lease: Lease, end: RunEnd, now: number): boolean {
    const entry = this.#holding(lease)
    if (entry === undefined) return false
    entry.leased = false
    if (end.kind !== 'done') entry.error = end.error
    if (end.kind === 'again') {
      entry.dueAt = now + end.afterMs
      if (end.uncounted) entry.attempt--
      return true
    }
    this.#tried.delete(entry.id)
    if (end.kind === 'dead') {
      entry.endedAt = now
      this.#dead.set(entry.id, entry)
    }
    if (entry.lane !== undefined) this.#lanes.leave(entry.lane.key, now)
    return true
  }

  nextDue(now: number): number | undefined {
    if (this.#fresh.size > 0) return now
    let next: number | undefined
    for (const { dueAt } of this.#tried.values()) next = Math.min(next ?? dueAt, dueAt)
    return next
  }

  revive(eventId: string, now: number): boolean {
    const [entry] = [...this.#dead.values()].filter(({ run }) => run.eventId === eventId).sort((a, b) => b.id - a.id)
    if (entry === undefined) return false
    this.#dead.delete(entry.id)
    Object.assign(entry, { attempt: 0, error: undefined, dueAt: now })
    if (entry.lane === undefined) {
      entry.fence++
      this.#tried.set(entry.id, entry)
      return true
    }
    this.#park(entry, entry.lane)
    this.#lanes.resume(entry.lane.key, { open: 0, limit: entry.lane.limit }, now)
    return true
  }

  cancel(eventId: string, now: number): Cancelled {
    const open = this.#all().filter(({ id, run }) => run.eventId === eventId && !this.#dead.has(id))
    const idle = open.filter((entry) => !isDelivering(entry))
    this.#cancelAll(idle, { cancelled: true }, now)
    return idle.length > 0 ? 'cancelled' : open.length > 0 ? 'delivering' : 'none'
  }

  /** Returns the unfinished runs with this key, in the order of their acceptance. */
  withEndKey(key: string): MemoryRun[] {
    return this.#all().filter((entry) => hasEndKey(entry.run, key) && !this.#dead.has(entry.id) && isEndable(entry))
  }

  /** Ends runs on behalf of the event `by`. Returns those that were ended. */
  endBy(by: string, runs: readonly MemoryRun[], now: number): MemoryRun[] {
    const ended = runs.filter(isEndable)
    this.#cancelAll(ended, { endedBy: by, cancelled: true }, now)
    return ended
  }

  #cancelAll(runs: readonly MemoryRun[], mark: Pick<NewRun, 'cancelled' | 'endedBy'>, now: number): void {
    const left: string[] = []
    for (const entry of runs) {
      const isParked = entry.fence < 0
      const lane = entry.lane?.key
      if (isParked && lane !== undefined) this.#unpark(entry, lane)
      else if (lane !== undefined) left.push(lane)
      this.#fresh.delete(entry)
      const fence = isParked ? -entry.fence : entry.fence + 1
      Object.assign(entry, { leased: false, dueAt: now, fence, lane: undefined, run: { ...entry.run, ...mark } })
      this.#tried.set(entry.id, entry)
    }
    // Given back earlier, a place could go to a run that is cancelled as well.
    for (const lane of left) this.#lanes.leave(lane, now)
  }

  queuedLanes(max: number): QueuedLane[] {
    const lanes = [...this.#parked].sort(([, a], [, b]) => b.length - a.length).slice(0, max)
    return lanes.flatMap(([lane, runs]) => {
      const [first] = runs
      return first ? { ...queuedEventOf(first.run), waiting: runs.length, ...this.#lanes.count(lane) } : []
    })
  }

  standings(wanted: ReadonlySet<string>, now: number): StoredStanding[] {
    const found = this.#all().filter(({ run }) => wanted.has(run.eventId))
    return found.map((entry) => standingOf(entry, this.#dead.has(entry.id), now))
  }

  /** Erases the runs that `isMeant` says, but for the runs that are in progress. */
  erase(isMeant: (run: NewRun) => boolean, now: number): Erased {
    const meant = this.#all().filter(({ run }) => isMeant(run))
    const [running, idle] = [meant.filter((entry) => isInProgress(entry, now)), meant.filter((entry) => !isInProgress(entry, now))]
    return { runs: idle.map((entry) => this.#erase(entry, now)), running: running.map(({ run }) => run.eventId) }
  }

  prune(before: number, maxDead: number): number {
    const dead = [...this.#dead.values()].sort(byEnd)
    const gone = dead.filter(({ endedAt }, i) => endedAt < before || i < dead.length - maxDead)
    for (const { id } of gone) this.#dead.delete(id)
    return gone.length
  }

  #erase(entry: MemoryRun, now: number): ErasedRun {
    const { id, run, lane, attempt } = entry
    if (this.#dead.delete(id)) return erasedRun(run)
    const wasOpen = this.#fresh.delete(entry) || this.#tried.delete(id)
    if (lane !== undefined && wasOpen) this.#lanes.leave(lane.key, now)
    else if (lane !== undefined) this.#unpark(entry, lane.key)
    return erasedRun(run, attempt)
  }

  /** Returns all runs, in the order of their acceptance. */
  #all(): MemoryRun[] {
    const all = [this.#fresh.all(), this.#tried.values(), ...this.#parked.values(), this.#dead.values()]
    return all.flatMap((some) => [...some]).sort(byId)
  }

  /** Lets a run wait for its turn in its lane. Its fence becomes negative, so that no lease from before fits. */
  #park(entry: MemoryRun, { key }: Lane): void {
    const others = this.#parked.get(key)
    entry.fence = -1 - entry.fence
    this.#parkedCount++
    if (others === undefined) this.#parked.set(key, [entry])
    else others.push(entry)
    // A revived run may be older than the other parked runs.
    if (others && entry.id < (others.at(-2)?.id ?? 0)) others.sort(byId)
  }

  /** Makes the oldest parked run of a lane due. `false`: the lane has no parked run. */
  #beginNext(lane: string, now: number): boolean {
    const [entry] = this.#parked.get(lane) ?? []
    if (entry === undefined) return false
    this.#unpark(entry, lane)
    entry.fence = -entry.fence
    entry.dueAt = now
    this.#tried.set(entry.id, entry)
    return true
  }

  #unpark(entry: MemoryRun, lane: string): void {
    const others = this.#parked.get(lane) ?? []
    others.splice(others.indexOf(entry), 1)
    if (others.length === 0) this.#parked.delete(lane)
    this.#parkedCount--
  }

  /** Returns the run of a lease; `undefined` where the lease is lost. */
  #holding(lease: Lease): MemoryRun | undefined {
    const entry = this.#tried.get(Number(lease.runId))
    return entry?.leased && entry.fence === lease.fence ? entry : undefined
  }
}
