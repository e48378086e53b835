/** Turns a standing as a store gives it into a standing as people read it. */

import type { RunStanding } from '../../generated/control.ts'
import type { StoredStanding } from '../../store/ports.ts'

/**
 * Returns the standing with the time of the next attempt (`dueAt`, milliseconds since 1970 by the clock of this machine) in place of a
 * duration. A store gives a duration because its clock may differ. `now`: the wall time of this machine in milliseconds.
 */
export const standingView = ({ dueInMs, ...standing }: StoredStanding, now: number): RunStanding =>
  dueInMs === undefined ? standing : { ...standing, dueAt: now + dueInMs }
