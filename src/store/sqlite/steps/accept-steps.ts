/** Makes the steps that accept the work of an event: a run of its own, in a lane or not, or an event of a group. */

import type { NewRun } from '../../../core/new-run.ts'
import { keptPrompt } from '../../kept-prompt.ts'
import type { Claim, Group, Lane, Work } from '../../ports.ts'
import type { AcceptStep, LedgerStep } from '../steps.ts'
import { hashKey } from '../stored-session.ts'

type StepOf<Op extends LedgerStep['op']> = Extract<LedgerStep, { op: Op }>

/** Makes the step for a run in a lane. */
export const laneStep = (run: NewRun, { key, holdMs }: Claim, lane: Lane): StepOf<'acceptInLane'> => ({
  op: 'acceptInLane',
  key: hashKey(key),
  holdMs,
  run: JSON.stringify(run),
  lane: { ...lane, key: hashKey(lane.key) },
  isRanked: run.priority !== undefined,
})

/** Makes the step for an event that joins a group. */
export const joinStep = (run: NewRun, { key, holdMs }: Claim, { key: group, windowMs, maxWaitMs, keep, lane }: Group): StepOf<'join'> => ({
  op: 'join',
  key: hashKey(key),
  holdMs,
  isRanked: run.priority !== undefined,
  joining: {
    group: hashKey(group),
    event: JSON.stringify(run.eventId),
    windowMs,
    maxWaitMs,
    keep,
    lane: lane === undefined ? null : hashKey(lane.key),
    limit: lane === undefined ? null : lane.limit,
    run: JSON.stringify(run),
    ...(keep === 'all' ? { prompt: { text: JSON.stringify(keptPrompt(run)), chars: run.prompt.length } } : {}),
  },
})

/** Makes the step for one event of a batch. */
export const acceptStep = ({ run, claim, lane, group }: Work): AcceptStep => {
  if (group) return joinStep(run, claim, group)
  return lane ? laneStep(run, claim, lane) : { op: 'acceptOne', key: hashKey(claim.key), holdMs: claim.holdMs, run }
}
