/**
 * The calls for events with a second claim beside that of their delivery id, or that end the work of earlier events: all claims, the work and
 * what ends are one statement.
 */

import { unsettledMs } from '../../bounds.ts'
import type { Claim, Claimed, Handed, PendingWork, WorkAnswer } from '../../ports.ts'
import { boundedMs, type CallKind } from '../call-kind.ts'
import { keyOf } from '../keys.ts'
import type { ClaimFields } from './claim-calls.ts'
import { type JoinCall, joinCall, wholeLimit } from './lane-calls.ts'

/**
 * An event as the function `accept_beside_2` takes it. `keptMs`: how long its id is kept where the claim beside it is held. `run`: absent
 * for a claim that waits to be settled, whose `mark` is below 0.
 */
type BesideRow = Partial<Omit<JoinCall, keyof ClaimFields | 'limit'>> & {
  readonly key: string
  readonly holdMs: number
  readonly keptMs: number
  readonly mark: string
  readonly beside?: string
  readonly besideMs?: number
  readonly run?: string
  readonly laneLimit?: number | null
  readonly refuses?: boolean
  readonly afterClaim?: true
  /** The key whose earlier work the event ends, the claim that is locked for it, and the id of the event. */
  readonly endKey?: string
  readonly endLock?: string
  readonly by?: string
}

const claimRow = ({ key, holdMs, beside }: Claim, mark: bigint): BesideRow => ({
  key,
  holdMs: boundedMs(holdMs),
  keptMs: boundedMs(holdMs),
  mark: String(mark),
  ...(beside ? { beside: beside.key, besideMs: boundedMs(beside.holdMs) } : {}),
})

/** Returns the row of an event with work. The keys of its claims are hashed. */
export const workRow = (claim: Claim, mark: bigint, { run, lane, group, ending }: Omit<PendingWork, 'claim'>): BesideRow => {
  const ends = ending && { endKey: ending.key, endLock: keyOf(`ending/${ending.key}`), by: ending.by }
  if (!run) return { ...claimRow(claim, mark), ...ends }
  const row = { ...claimRow(claim, mark), ...ends, run: JSON.stringify(run) }
  if (group) {
    const { lane, limit, windowMs, maxWaitMs, ...joining } = joinCall({ key: row.key, holdMs: row.holdMs, mark, run: row.run }, run, group)
    return {
      ...joining,
      ...row,
      windowMs: boundedMs(windowMs),
      maxWaitMs: boundedMs(maxWaitMs),
      lane,
      laneLimit: limit && wholeLimit(limit),
      ...(group.afterClaim ? { afterClaim: true, refuses: false } : {}),
    }
  }
  return lane ? { ...row, lane: keyOf(lane.key), laneLimit: wholeLimit(lane.limit), refuses: lane.whenFull === 'refuse' } : row
}

/** Returns the row of a claim that waits to be settled, as the one beside it. The keys are hashed. */
export const unsettledRow = (claim: Claim, mark: bigint): BesideRow => {
  const row = claimRow(claim, -mark)
  return { ...row, holdMs: Math.min(row.holdMs, unsettledMs), besideMs: Math.min(row.besideMs ?? 0, unsettledMs) }
}

/** Makes the call of a function that takes rows of events. `Answer`: its answer for each row. */
const workKind = <Answer>(name: string): CallKind<readonly BesideRow[], readonly Answer[]> => ({
  name,
  text: `select ${name}($1::json)`,
  maxCalls: 100,
  charsOf: (rows) => rows.reduce((chars, { run = '' }) => chars + run.length, 0),
  isRepeatable: true,
  values: (calls) => [JSON.stringify(calls.flat().map((row, place) => ({ ...row, place })))],
  answers([row], calls) {
    const answers = ((row?.[0] ?? []) as readonly string[]).values()
    return calls.map((rows) => rows.map((): Answer => JSON.parse(answers.next().value ?? '')))
  },
})

/** The call that takes the work of events, and ends the work of earlier ones. */
export const endingKind = workKind<WorkAnswer | 'unsettled'>('accept_ending_1')

/** Makes the call that takes the work of events. `doubt` gets the unsettled claims of which nobody knows whether they were made. */
export const besideKind = (
  doubt: (calls: readonly ClaimFields[]) => void,
): CallKind<readonly BesideRow[], readonly (Handed | Claimed)[]> => ({
  ...workKind<Handed | Claimed>('accept_beside_2'),
  doubt: (calls) =>
    doubt(
      calls.flat().flatMap(({ key, beside, mark, run }) => {
        const keys = run === undefined ? [key, ...(beside === undefined ? [] : [beside])] : []
        return keys.map((key) => ({ key, holdMs: 0, mark: BigInt(mark), run: '' }))
      }),
    ),
})
