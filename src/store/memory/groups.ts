/** The groups of the memory store: events that wait to become one run (rules: Coalescing 1). */

import type { KeptEvents, Merged, NewRun } from '../../core/new-run.ts'
import type { Prompt } from '../../core/prompt.ts'
import { maxGroups, maxPromptChars, maxPrompts } from '../bounds.ts'
import type { Group, Joined, Lane, QueuedGroup, StoredStanding } from '../ports.ts'
import { type ErasureSets, hasEndKey, keptPrompt, queuedEventOf } from '../stored.ts'

export type MemoryGroup = {
  readonly key: string
  /** The id of the event that opened the group. */
  readonly opener: string
  readonly firstAt: number
  dueAt: number
  count: number
  keep: KeptEvents
  lane: Lane | undefined
  run: NewRun
  prompts: (string | Prompt)[]
}

export class Groups {
  /** The groups by key, in the order in which they were opened. */
  readonly #groups = new Map<string, MemoryGroup>()

  get size(): number {
    return this.#groups.size
  }

  /** Whether an event can join the group, or open it. */
  hasRoom(key: string): boolean {
    return this.#groups.size < maxGroups || this.#groups.has(key)
  }

  join(run: NewRun, { key, windowMs, maxWaitMs, keep, lane }: Group, now: number): { group: MemoryGroup; joined: Joined } {
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = { key, opener: run.eventId, firstAt: now, dueAt: 0, count: 0, keep, lane, run, prompts: [] }
      this.#groups.set(key, group)
    }
    group.count++
    // A new event restarts the window, but never past the longest wait after the first event (rules: Coalescing 2, 3).
    group.dueAt = Math.min(now + windowMs, group.firstAt + maxWaitMs)
    group.keep = keep
    group.lane = lane
    if (keep !== 'first') group.run = run
    if (keep === 'all') group.prompts = newestPrompts([...group.prompts, keptPrompt(run)])
    return { group, joined: { group: group.opener, count: group.count } }
  }

  /** Returns at most `max` groups that are due by `at`, in the order in which they are due. */
  due(at: number, max: number): MemoryGroup[] {
    const due = [...this.#groups.values()].filter(({ dueAt }) => dueAt <= at)
    return due.sort((a, b) => a.dueAt - b.dueAt).slice(0, max)
  }

  /** Returns the groups that would become the run of this event. */
  of(eventId: string): MemoryGroup[] {
    return [...this.#groups.values()].filter(({ run }) => run.eventId === eventId)
  }

  withEndKey(key: string): MemoryGroup[] {
    return [...this.#groups.values()].filter(({ run }) => hasEndKey(run, key))
  }

  /** Ends a group, and returns its run. */
  end({ key, opener: group, count, keep, run, prompts }: MemoryGroup): NewRun {
    this.#groups.delete(key)
    if (count === 1) return run
    const merged: Merged = { group, count, keep, ...(keep === 'all' ? { prompts } : {}) }
    return { ...run, merged }
  }

  /** Returns when the next group is due; `undefined` when no group waits. */
  nextDue(): number | undefined {
    let next: number | undefined
    for (const { dueAt } of this.#groups.values()) next = Math.min(next ?? dueAt, dueAt)
    return next
  }

  queued(max: number, now: number): QueuedGroup[] {
    return this.due(Infinity, max).map(({ run, count, dueAt }) => ({ ...queuedEventOf(run), count, dueInMs: dueAt - now }))
  }

  /** Erases the groups that would become runs of these events, and those that keep their prompts. Returns their latest runs. */
  erase({ ids, groups }: ErasureSets): NewRun[] {
    const erased = [...this.#groups.values()].filter(
      ({ run, keep, opener }) => ids.has(run.eventId) || (keep === 'all' && groups.has(opener)),
    )
    for (const { key } of erased) this.#groups.delete(key)
    return erased.map(({ run }) => run)
  }

  standings(wanted: ReadonlySet<string>, now: number): StoredStanding[] {
    const found = [...this.#groups.values()].filter(({ run }) => wanted.has(run.eventId))
    return found.map(({ run, dueAt }) => ({ eventId: run.eventId, state: 'waiting', attempt: 0, dueInMs: dueAt - now }))
  }
}

/** Returns the last of `prompts`, as many as the bounds allow, and at least one. */
const newestPrompts = (prompts: MemoryGroup['prompts']): MemoryGroup['prompts'] => {
  let first = prompts.length - 1
  let chars = charsOf(prompts[first])
  while (first > 0 && prompts.length - first < maxPrompts) {
    chars += charsOf(prompts[first - 1])
    if (chars > maxPromptChars) break
    first--
  }
  return prompts.slice(first)
}

const charsOf = (prompt: string | Prompt = ''): number => (typeof prompt === 'string' ? prompt : prompt.text).length
