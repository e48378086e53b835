/** The groups of an open database: events that wait to become one run. Groups survive a restart (rules: Coalescing 7). */

import type { KeptEvents } from '../../core/new-run.ts'
import { maxGroups } from '../bounds.ts'
import type { Joined, QueuedGroup, StoredStanding } from '../ports.ts'
import type { ErasedRun } from '../store-part.ts'
import { erasedRun, parseStored, parseText, queuedEventOf } from '../stored.ts'
import type { Statements } from './statements.ts'

/** An event that joins a group. `group` and `lane` are hashes; `event`, `run` and the prompt's text are JSON. */
export type JoiningEvent = {
  readonly group: string
  readonly event: string
  readonly windowMs: number
  readonly maxWaitMs: number
  readonly maxEvents: number | undefined
  readonly keep: KeptEvents
  readonly lane: string | null
  readonly limit: number | null
  readonly run: string
  /** Present with `keep: all`. */
  readonly prompt?: { readonly text: string; readonly chars: number }
}

/** A group that is due, and the lane of its run. */
export type DueGroup = [groupId: number, lane: Buffer | null, limit: number | null]
type GroupRow = { readonly id: number; readonly count: number; readonly event: Buffer }

export class Groups {
  readonly #sql: Statements
  size = 0

  constructor(sql: Statements) {
    this.#sql = sql
  }

  /**
   * Called at the start of a process. Afterwards no group waits longer than its window from now: the clock may have been set back since the
   * last stop.
   */
  takeOver(now: number): void {
    this.#sql.capGroups.run([now])
  }

  /** Takes over the number of stored groups, which is kept in memory from then on. */
  restore(size: number): void {
    this.size = size
  }

  hasRoom(group: string): boolean {
    return this.size < maxGroups || this.#sql.groupOf.all([group]).length > 0
  }

  /**
   * Adds an event to its group, or opens the group. With `keep: all` the event's prompt is added to the prompts of the group. When the
   * prompts are too many, or too long together, the oldest are deleted, but never the newest.
   */
  join({ prompt, maxEvents: _, ...joining }: JoiningEvent, now: number): { readonly id: number; readonly joined: Exclude<Joined, string> } {
    const [row] = this.#sql.join.all({ ...joining, now }) as GroupRow[]
    if (row === undefined) throw new Error('a group took no event')
    if (row.count === 1) this.size++
    if (prompt !== undefined) {
      this.#sql.addMember.run([row.id, row.count, prompt.chars, prompt.text])
      if (row.count > 1) this.#sql.trimMembers.run([row.id, row.count])
    }
    return { id: row.id, joined: { group: parseText(row.event) ?? '', count: row.count } }
  }

  /** Returns at most `max` groups that are due by `at`, in the order in which they are due. */
  due(at: number, max: number): DueGroup[] {
    return this.size === 0 ? [] : (this.#sql.dueGroups.all([at, max]) as DueGroup[])
  }

  /** Returns the groups that would become the run of this event. */
  toCancel(eventId: string): DueGroup[] {
    return this.size === 0 ? [] : (this.#sql.groupsToCancel.all([JSON.stringify([eventId])]) as DueGroup[])
  }

  /** Returns the groups that an event with this key ends, but for the group that it has joined. */
  toEnd(key: string, joined: string): [groupId: number, eventId: string][] {
    return this.size === 0 ? [] : (this.#sql.groupsToEnd.all([key, joined]) as [number, string][])
  }

  /** Turns a group into a run with this id and fence. */
  end(groupId: number, runId: number, fence: number): void {
    this.#sql.runOfGroup.run([runId, fence, groupId])
    this.#sql.dropMembers.run([groupId])
    this.#sql.dropGroup.run([groupId])
    this.size--
  }

  /** Erases the groups of these events (JSON lists of ids): those that would become their runs, and those that keep their prompts. */
  erase(ids: string, groups: string): ErasedRun[] {
    const rows = this.#sql.groupsToErase.all([ids, groups]) as [id: number, run: Buffer][]
    return rows.flatMap(([id, stored]) => {
      this.#sql.dropMembers.run([id])
      this.#sql.dropGroup.run([id])
      this.size--
      const { run } = parseStored(stored, null) ?? {}
      return run ? erasedRun(run, 0) : []
    })
  }

  nextDue(): number | undefined {
    if (this.size === 0) return undefined
    const [row] = this.#sql.nextGroup.all() as [number | null][]
    return row?.[0] ?? undefined
  }

  queued(max: number, now: number): QueuedGroup[] {
    const rows = this.#sql.queuedGroups.all([max]) as [run: Buffer, count: number, dueAt: number][]
    return rows.flatMap(([stored, count, dueAt]) => {
      const { run } = parseStored(stored, null) ?? {}
      return run ? { ...queuedEventOf(run), count, dueInMs: dueAt - now } : []
    })
  }

  standings(eventIds: string, now: number): StoredStanding[] {
    const rows = this.#sql.groupStandings.all([eventIds]) as [eventId: string, dueAt: number][]
    return rows.map(([eventId, dueAt]) => ({ eventId, state: 'waiting', attempt: 0, dueInMs: dueAt - now }))
  }
}
