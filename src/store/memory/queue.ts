/** The runs and the groups of the memory store: a group whose window is over becomes a run. */

import type { NewRun } from '../../core/new-run.ts'
import { maxEnded, maxGroupsPerTake } from '../bounds.ts'
import type { Cancelled, Ended, Ending, Group, Joined, Lease, StoredStanding } from '../ports.ts'
import type { Erased } from '../store-part.ts'
import { type ErasureSets, erasedRun, isRunToErase } from '../stored.ts'
import { Groups, type MemoryGroup } from './groups.ts'
import type { MemoryRun } from './memory-run.ts'
import { Runs } from './runs.ts'

/** The waiting groups and the runs of one store. Times are monotonic, in milliseconds. */
export class Queue {
  readonly runs = new Runs()
  readonly groups = new Groups()

  get size(): number {
    return this.runs.backlog + this.groups.size
  }

  /** Adds an event to its group, and makes a run of a group that has as many events as it may. */
  join(run: NewRun, of: Group, now: number): Joined {
    const { group, joined } = this.groups.join(run, of, now)
    if (group.count >= (of.maxEvents ?? Infinity)) this.#endGroup(group, now)
    return joined
  }

  take(max: number, until: number, now: number): readonly Lease[] {
    for (const group of this.groups.due(now, maxGroupsPerTake)) this.#endGroup(group, now)
    return this.runs.take(max, until, now)
  }

  /** Takes the runs of groups, whether or not their windows are over. */
  takeGroups(max: number, until: number, now: number): readonly Lease[] {
    const leases: Lease[] = []
    for (const group of this.groups.due(Number.MAX_VALUE, this.groups.size)) {
      if (leases.length >= max) break
      const entry = this.#endGroup(group, now)
      if (entry !== undefined) leases.push(this.runs.lease(entry, until))
    }
    return leases
  }

  nextDue(now: number): number | undefined {
    const due = [this.runs.nextDue(now), this.groups.nextDue()].filter((at) => at !== undefined)
    return due.length === 0 ? undefined : Math.min(...due)
  }

  cancel(eventId: string, now: number): Cancelled {
    for (const group of this.groups.of(eventId)) this.#endGroup(group, now)
    return this.runs.cancel(eventId, now)
  }

  /**
   * Finds the work that an event ends, before the event is taken. The returned function ends it, once the event is taken. `joined`: the key
   * of the group that the event has joined, which is left. Returns the ended events.
   */
  workToEnd({ key, by }: Ending): (joined: string | undefined, now: number) => Omit<Ended<unknown>, 'taken'> {
    const [groups, runs] = [this.groups.withEndKey(key), this.runs.withEndKey(key)]
    return (joined, now) => {
      const waiting = groups.filter((group) => group.key !== joined)
      const [first, isMore] = [runs.slice(0, maxEnded), runs.length + waiting.length > maxEnded]
      // A group is made a run outside of its lane: it is only to be recorded.
      const others = waiting.slice(0, maxEnded - first.length).flatMap((group) => this.#endGroup({ ...group, lane: undefined }, now) ?? [])
      return { ended: this.runs.endBy(by, [...first, ...others], now).map(({ run }) => run.eventId), isMore }
    }
  }

  standings(eventIds: ReadonlySet<string>, now: number): readonly StoredStanding[] {
    return [...this.runs.standings(eventIds, now), ...this.groups.standings(eventIds, now)]
  }

  erase(of: ErasureSets, now: number): Erased {
    const joined = this.groups.erase(of).map((run) => erasedRun(run, 0))
    const { runs, running } = this.runs.erase((run) => isRunToErase(run, of), now)
    return { runs: [...joined, ...runs], running }
  }

  #endGroup(group: MemoryGroup, now: number): MemoryRun | undefined {
    return this.runs.add(this.groups.end(group), group.lane, now)
  }
}
