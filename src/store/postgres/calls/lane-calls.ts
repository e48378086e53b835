/**
 * The calls that concern lanes: accepting a run in a lane, joining a group whose run may be in a lane, ending a run, and reviving a dead
 * run.
 */

import type { NewRun } from '../../../core/new-run.ts'
import type { Accepted, Group, Joined } from '../../ports.ts'
import { keptPrompt } from '../../stored.ts'
import { boundedMs, type CallKind, joinLines, lines, list } from '../call-kind.ts'
import type { ResultRow } from '../connection.ts'
import { keyOf } from '../keys.ts'
import type { ClaimFields } from './claim-calls.ts'

/** Returns the answers to all calls, which the statement returns as an array in one row with one column. */
const answersOf = ([row]: readonly ResultRow[]): readonly string[] => (row?.[0] ?? []) as readonly string[]

const hasNewKey = (calls: readonly ClaimFields[], { key }: ClaimFields): boolean => calls.every((other) => other.key !== key)

/** Returns a lane's limit as a whole number that the database can store. */
export const wholeLimit = (limit: number): number => Math.min(1_000_000_000, Math.max(1, Math.floor(limit) || 1))

export type LaneCall = ClaimFields & { readonly lane: string; readonly limit: number; readonly refuses: boolean }

export const acceptInLaneKind: CallKind<LaneCall, Accepted> = {
  name: 'accept_in_lanes_1',
  text: `select accept_in_lanes_1($1::uuid[], $2::float8[], $3::bigint[], $4::uuid[], $5::int[], $6::boolean[],
    array(select split_part(run, '"', 4) from unnest(${lines('$7')}) with ordinality as t (run, n) order by n), ${lines('$7')})`,
  maxCalls: 200,
  charsOf: ({ run }) => run.length,
  isRepeatable: true,
  joins: hasNewKey,
  values: (calls) => [
    list(calls.map(({ key }) => key)),
    list(calls.map(({ holdMs }) => boundedMs(holdMs))),
    list(calls.map(({ mark }) => mark)),
    list(calls.map(({ lane }) => lane)),
    list(calls.map(({ limit }) => wholeLimit(limit))),
    list(calls.map(({ refuses }) => refuses)),
    joinLines(calls.map(({ run }) => run)),
  ],
  answers: (rows) => answersOf(rows) as readonly Accepted[],
}

/** An event that joins a group. `event`: its id as JSON. `prompt`: its prompt as JSON, empty where the group keeps only one event. */
export type JoinCall = ClaimFields & {
  readonly group: string
  readonly event: string
  readonly windowMs: number
  readonly maxWaitMs: number
  readonly keep: string
  readonly lane: string | null
  readonly limit: number | null
  readonly prompt: string
  readonly promptChars: number
  readonly maxEvents: number | null
}

/** Makes the call with which the event of a run joins a group. */
export const joinCall = (claim: ClaimFields, run: NewRun, { key, windowMs, maxWaitMs, maxEvents, keep, lane }: Group): JoinCall => ({
  ...claim,
  group: keyOf(key),
  event: JSON.stringify(run.eventId),
  windowMs,
  maxWaitMs,
  keep,
  lane: lane === undefined ? null : keyOf(lane.key),
  limit: lane === undefined ? null : lane.limit,
  prompt: keep === 'all' ? JSON.stringify(keptPrompt(run)) : '',
  promptChars: run.prompt.length,
  maxEvents: maxEvents ?? null,
})

export const joinKind: CallKind<JoinCall, Joined> = {
  name: 'join_2',
  text: `select join_2($1::uuid[], $2::float8[], $3::bigint[], $4::uuid[],
    array(select split_part(run, '"', 4) from unnest(${lines('$11')}) with ordinality as t (run, n) order by n), ${lines('$5')},
    $6::float8[], $7::float8[], $8::text[], $9::uuid[], $10::int[], ${lines('$11')}, ${lines('$12')}, $13::int[], $14::int[])`,
  maxCalls: 200,
  charsOf: ({ run, prompt }) => run.length + prompt.length,
  isRepeatable: true,
  // A group that may have so many events is looked at once in a statement, behind all its calls.
  joins: (calls, call) =>
    hasNewKey(calls, call) &&
    calls.every(({ group, maxEvents }) => group !== call.group || (maxEvents === null && call.maxEvents === null)),
  values: (calls) => [
    list(calls.map(({ key }) => key)),
    list(calls.map(({ holdMs }) => boundedMs(holdMs))),
    list(calls.map(({ mark }) => mark)),
    list(calls.map(({ group }) => group)),
    joinLines(calls.map(({ event }) => event)),
    list(calls.map(({ windowMs }) => boundedMs(windowMs))),
    list(calls.map(({ maxWaitMs }) => boundedMs(maxWaitMs))),
    list(calls.map(({ keep }) => keep)),
    list(calls.map(({ lane }) => lane)),
    list(calls.map(({ limit }) => (limit === null ? null : wholeLimit(limit)))),
    joinLines(calls.map(({ run }) => run)),
    joinLines(calls.map(({ prompt }) => prompt)),
    list(calls.map(({ promptChars }) => promptChars)),
    list(calls.map(({ maxEvents }) => maxEvents)),
  ],
  answers: (rows) => answersOf(rows).map((answer) => JSON.parse(answer) as Joined),
}

/** The end of a run that may be in a lane. `death`: the error of a dead run as JSON, `null` for a run that is done. */
export type EndCall = { readonly runId: string; readonly fence: number; readonly death: string | null }

export const endRunKind: CallKind<EndCall, boolean> = {
  name: 'end_run_1',
  text: 'select end_run_1($1, $2, $3)',
  maxCalls: 1,
  isRepeatable: false,
  values: ([call]) => [call?.runId, call?.fence, call?.death],
  answers: (rows) => rows.map(([isEnded]) => isEnded === true),
}

export const reviveKind: CallKind<string, boolean> = {
  name: 'revive_1',
  text: 'select revive_1($1)',
  maxCalls: 1,
  isRepeatable: false,
  values: ([eventId]) => [eventId],
  answers: (rows) => rows.map(([isRevived]) => isRevived === true),
}
