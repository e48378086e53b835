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

/** The SQL condition for a run of low priority that no worker has looked at. A run that a worker gave back has an error, and counts as usual. */
export const isLow = `attempt = 0 and due_at is not null and error is null and ${hasPriority('low')}`

/** The SQL condition that a run was accepted less than a step ago. */
export const isYoung = `made_at > clock() - ${priorityStep}`

export const priorityIndexes = `
  create index high on runs (due_at, id) where ${isHigh};
  create index low on runs (due_at, id) where ${isLow};
`
