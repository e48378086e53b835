/** Says how a run stands in times of this machine. */

import type { RunStanding } from '../../generated/control.ts'
import type { StoredStanding } from '../../store/ports.ts'

/** Turns a duration of the store into a time of this machine, because the store's clock may differ. */
export const standingView = ({ dueInMs, ...standing }: StoredStanding, now: number): RunStanding =>
  dueInMs === undefined ? standing : { ...standing, dueAt: now + dueInMs }
