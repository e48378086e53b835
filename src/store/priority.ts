/** The order in which runs without an attempt are taken, where some have a priority (rules: Runs 11). */

import type { NewRun } from '../core/new-run.ts'

/**
 * A run of high priority is taken as if it had been accepted so much sooner, in milliseconds, and a run of low priority as if it had been
 * accepted so much later (decision 0167). So no run waits for ever: each is passed only by runs that were accepted within this time, or twice this time.
 */
export const priorityStepMs = 600_000

export type Priority = NonNullable<NewRun['priority']> | 'normal'

/** The priorities, the highest first. */
export const priorities: readonly Priority[] = ['high', 'normal', 'low']

const stepsOf: { readonly [priority in Priority]: number } = { high: -1, normal: 0, low: 1 }

export const priorityOf = ({ priority }: Pick<NewRun, 'priority'>): Priority => priority ?? 'normal'

/** Runs by priority, each list in the order in which its runs were accepted. */
export type Ranked<T> = { readonly [priority in Priority]: readonly T[] }

/**
 * Returns the first `max` runs of all lists. The runs of one list keep their order. `acceptedAt`: when a run was accepted, in milliseconds
 * since 1970.
 */
export const firstOf = <T>(ranked: Ranked<T>, acceptedAt: (run: T) => number, max: number): readonly T[] => {
  const heads = priorities.map((priority) => ({ runs: ranked[priority], next: 0, laterMs: stepsOf[priority] * priorityStepMs }))
  const taken: T[] = []
  while (taken.length < max) {
    let first: { readonly run: T; readonly rank: number; readonly head: { next: number } } | undefined
    for (const head of heads) {
      const run = head.runs[head.next]
      if (run === undefined) continue
      const rank = acceptedAt(run) + head.laterMs
      if (first === undefined || rank < first.rank) first = { run, rank, head }
    }
    if (first === undefined) break
    taken.push(first.run)
    first.head.next++
  }
  return taken
}
