/**
 * The priority of runs in the shared database. It is read from the text of the run, where it stands second, so statements and functions of
 * older programs keep it. Two small indexes find the runs with a priority.
 */

import { priorityStepMs } from '../../priority.ts'

/** The SQL condition that a run has this priority. The event id, which comes first, has no quote in it. */
export const hasPriority = (priority: 'high' | 'low'): string =>
  `split_part(run, '"', 6) = 'priority' and split_part(run, '"', 8) = '${priority}'`

/** The SQL of the step by which a priority moves a run. */
export const priorityStep = `interval '${priorityStepMs} ms'`

/** The SQL condition for a run of high priority that may wait to be taken. */
export const isHigh = `attempt = 0 and due_at is not null and ${hasPriority('high')}`

/**
 * The SQL condition for a run of low priority that may wait to be taken. A call that knows priorities makes the run due a step later than a
 * run of the usual priority. But a worker with room left does not wait for the step to end: it takes the run when a usual run would be due.
 */
export const isLow = `attempt = 0 and due_at is not null and ${hasPriority('low')}`

/** The SQL of what a run without an attempt waits longer than a usual run. */
export const lowStep = `case when ${hasPriority('low')} then ${priorityStep} else interval '0' end`

/** The SQL condition that a run was accepted less than a step ago. */
export const isYoung = `made_at > clock() - ${priorityStep}`

export const priorityIndexes = `
  create index high on runs (due_at, id) where ${isHigh};
  create index low on runs (due_at, id) where attempt = 0 and due_at is not null and error is null and ${hasPriority('low')};
`

/** The index of low priority has the runs, too, that a worker gave back. */
export const lowIndex = `
  drop index low;
  create index low on runs (due_at, id) where ${isLow};
`
