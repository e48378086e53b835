/** The call that accepts the work of several events in one statement, which takes effect as a whole or not at all. */

import type { Accepted, Joined } from '../../ports.ts'
import { boundedMs, type CallKind, joinLines, lines, list } from '../call-kind.ts'
import { lowStep } from '../sql/priority-indexes.ts'
import { type ClaimFields, claimedInput } from './claim-calls.ts'
import { acceptInLaneKind, type JoinCall, joinKind, type LaneCall } from './lane-calls.ts'

/** The work of a batch: runs without a lane, runs in lanes, and events that join groups. No key comes twice. */
export type BatchCall = {
  readonly plain: readonly ClaimFields[]
  readonly inLanes: readonly LaneCall[]
  readonly joining: readonly JoinCall[]
}

/** The answers to the work of a batch, each list in the order of the call. */
export type BatchAnswer = {
  readonly plain: readonly Accepted[]
  readonly inLanes: readonly Accepted[]
  readonly joining: readonly Joined[]
}

const plainParameters = 5
const laneParameters = 7

/** Returns the text of a statement with the numbers of its parameters raised. */
const shifted = (text: string, by: number): string => text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + by}`)

export const acceptAllKind: CallKind<BatchCall, BatchAnswer> = {
  name: 'accept_all_2',
  text: `with input as (
      select * from unnest($1::uuid[], $2::float8[], $3::bigint[], ${lines('$4')}, $5::int[]) as t (key, hold, mark, run, place)
    ), ${claimedInput}, made as (
      insert into runs (event_id, made_at, due_at, run)
      select split_part(run, '"', 4), clock(), clock() + ${lowStep}, run
      from input where (key in (select key from claimed where repeats = 0)) is true order by place
    )
    select array(select place from input where (key in (select key from claimed)) is true),
      (${shifted(acceptInLaneKind.text, plainParameters)}), (${shifted(joinKind.text, plainParameters + laneParameters)})`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call = { plain: [], inLanes: [], joining: [] }]) => [
    ...plainValues(call.plain),
    ...acceptInLaneKind.values(call.inLanes),
    ...joinKind.values(call.joining),
  ],
  answers([row], [call]) {
    const [places, inLanes, joining] = row as [readonly number[], unknown, unknown]
    const claimed = new Set(places)
    return [
      {
        plain: call?.plain.map((_, place) => (claimed.has(place) ? 'accepted' : 'duplicate')) ?? [],
        inLanes: acceptInLaneKind.answers([[inLanes]], call?.inLanes ?? []),
        joining: joinKind.answers([[joining]], call?.joining ?? []),
      },
    ]
  },
}

/**
 * Returns the parameters for the runs without a lane, in the order of their keys: two statements that lock in two orders would deadlock.
 */
const plainValues = (plain: readonly ClaimFields[]): readonly unknown[] => {
  const sorted = plain.map((call, place) => ({ ...call, place })).sort((a, b) => (a.key < b.key ? -1 : 1))
  return [
    list(sorted.map(({ key }) => key)),
    list(sorted.map(({ holdMs }) => boundedMs(holdMs))),
    list(sorted.map(({ mark }) => mark)),
    joinLines(sorted.map(({ run }) => run)),
    list(sorted.map(({ place }) => place)),
  ]
}
