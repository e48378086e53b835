/** The call that reads the groups, and the lanes in which runs wait. */

import type { QueuedGroup, QueuedLane, Queues } from '../../ports.ts'
import { parseStored, queuedEventOf } from '../../stored.ts'
import { type CallKind, msUntil } from '../call-kind.ts'
import type { ResultRow } from '../connection.ts'

type GroupRow = [kind: 'group', run: string, count: string, dueInMs: number, limit: null]
type LaneRow = [kind: 'lane', run: string, waiting: string, open: number, limit: number]

const isGroup = (row: GroupRow | LaneRow): row is GroupRow => row[0] === 'group'

const groupOf = ([, stored, count, dueInMs]: GroupRow): readonly QueuedGroup[] => {
  const { run } = parseStored(stored, null) ?? {}
  return run ? [{ ...queuedEventOf(run), count: Number(count), dueInMs }] : []
}

const laneOf = ([, stored, waiting, open, limit]: LaneRow): readonly QueuedLane[] => {
  const { run } = parseStored(stored, null) ?? {}
  return run ? [{ ...queuedEventOf(run), waiting: Number(waiting), open, limit }] : []
}

/** The call for at most this many groups, and as many lanes. */
export const queuesKind: CallKind<number, Queues> = {
  name: 'queues_1',
  text: `(
      select 'group', run, events::bigint, ${msUntil('due_at')}, null::int from groups order by due_at, id limit $1::int
    ) union all (
      select 'lane', (select run from runs where runs.lane = waiting.lane and parked order by made_at, id limit 1), runs,
        coalesce(open, 0)::float8, coalesce(turns, 1)
      from (select lane, count(*) as runs from runs where parked group by lane order by runs desc limit $1::int) as waiting
      left join lanes on key = lane order by runs desc
    )`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([max]) => [max],
  answers: (rows: readonly ResultRow[]) => {
    const found = rows as unknown as readonly (GroupRow | LaneRow)[]
    return [
      {
        groups: found.filter(isGroup).flatMap(groupOf),
        lanes: found.filter((row) => !isGroup(row)).flatMap((row) => laneOf(row as LaneRow)),
      },
    ]
  },
}
