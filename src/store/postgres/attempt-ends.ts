/** Stores how an attempt ended. The end of a run that is known to have no lane costs less to store than that of a run that may have one. */

import type { RunEnd } from '../../core/run-end.ts'
import type { Lease } from '../ports.ts'
import { endRunKind } from './calls/lane-calls.ts'
import { doneKind, failedKind, type TakenRun } from './calls/run-calls.ts'
import type { Links } from './links.ts'

/** Stores the end of an attempt. Resolves to `false` where the lease is lost. */
export const endAttempt = ({ work, taken }: Links, { runId, fence }: Lease, end: RunEnd): Promise<boolean> => {
  if (end.kind === 'again') {
    const { afterMs, uncounted: isUncounted = false } = end
    return work.call(failedKind, { runId, fence, afterMs, error: JSON.stringify(end.error), isUncounted })
  }
  const death = end.kind === 'dead' ? JSON.stringify(end.error) : null
  // Where this store did not take the run, nobody knows here whether the run is in a lane.
  if (taken.get(runId)?.isInLane !== false) return work.call(endRunKind, { runId, fence, death })
  if (death === null) return work.call(doneKind, { runId, fence })
  return work.call(failedKind, { runId, fence, afterMs: null, error: death, isUncounted: false })
}

/** Ends as dead a run whose stored text cannot be read, because such a run must not block the runs after it. */
export const endAsDead = async ({ work, taken }: Links, { runId, fence }: TakenRun): Promise<void> => {
  const death = JSON.stringify('the stored run cannot be read')
  await work.call(endRunKind, { runId, fence, death })
  taken.delete(runId)
}
