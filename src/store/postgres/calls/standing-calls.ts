/**
 * The calls that read the states of runs and groups, that count what a store has, and that delete old dead runs, expired claims, and ended
 * sums and rate limits.
 */

import type { StoredStanding, StoreTotals } from '../../ports.ts'
import { parseText } from '../../stored.ts'
import { type CallKind, list, msUntil } from '../call-kind.ts'
import type { ResultRow } from '../connection.ts'

const pruneRows = 5_000

const standingOf = (row: ResultRow): StoredStanding => {
  const [eventId, attempt, isLeased, dueInMs, isDead, stored] = row as [string, number, boolean, number | null, boolean, string | null]
  const state = isDead ? 'dead' : isLeased ? 'running' : 'waiting'
  const error = stored === null ? undefined : parseText(stored)
  return {
    eventId,
    state,
    attempt,
    ...(state === 'waiting' && dueInMs !== null ? { dueInMs } : {}),
    ...(error === undefined ? {} : { error }),
  }
}

/**
 * The call for the states of the runs and groups of events. The ids must be checked by `isEventId`, so that `list` need not escape them.
 */
export const standingsKind: CallKind<readonly string[], readonly StoredStanding[]> = {
  name: 'standings_2',
  text: `select event_id, attempt, leased, due, dead, error from (
      select 1 as rank, id, event_id, attempt, leased, case when attempt > 0 or due_at > clock() then ${msUntil('due_at')} end as due, ended_at is not null as dead, error
      from runs where event_id = any ($1::text[])
      union all
      select 2, id, event_id, 0, false, ${msUntil('due_at')}, false, null from groups where event_id = any ($1::text[])
    ) as found order by rank, id`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([eventIds]) => [list(eventIds ?? [])],
  answers: (rows) => [rows.map(standingOf)],
}

const maxTotal = 1_000_000
const countOf = (rows: string): string => `(select count(*) from (select 1 from ${rows} limit ${maxTotal}) as rows)`

/** The call for the numbers of runs, groups and sessions, and for the age of the oldest run. */
export const totalsKind: CallKind<void, StoreTotals> = {
  name: 'totals_1',
  text: `select ${countOf('runs where due_at is not null or parked')}, ${countOf('runs where parked')}, ${countOf('groups')},
    ${countOf('runs where ended_at is not null')}, ${countOf('sessions')},
    (select (extract(epoch from clock() - made_at) * 1000)::float8 from runs where ended_at is null order by id limit 1)`,
  maxCalls: 1,
  isRepeatable: true,
  values: () => [],
  answers: ([row = []]) => {
    const [runs = 0, inLanes = 0, groups = 0, dead = 0, sessions = 0] = row.map(Number)
    const oldestMs = row[5]
    return [{ runs, inLanes, groups, dead, sessions, ...(typeof oldestMs === 'number' ? { oldestMs } : {}) }]
  },
}

export type PruneRunsCall = { readonly maxAgeMs: number; readonly maxDead: number }

/** The call that deletes old dead runs. Answers the number of deleted runs. */
export const pruneRunsKind: CallKind<PruneRunsCall, number> = {
  name: 'prune_runs_1',
  text: `with gone as (
      delete from runs where id in (
        select id from (select id, ended_at, row_number() over (order by ended_at desc, id desc) as place from runs where ended_at is not null) as dead
        where place > $2 or ended_at < clock() - $1::float8 * interval '1 ms'
      ) returning 1
    ) select count(*) from gone`,
  maxCalls: 1,
  isRepeatable: false,
  values: ([call]) => [call?.maxAgeMs, call?.maxDead],
  answers: ([row]) => [Number(row?.[0])],
}

/** The call that deletes some of the expired claims, ended sums and ended windows of rate limits. Answers whether there may be more claims or windows. */
export const pruneExpiredKind: CallKind<void, boolean> = {
  name: 'prune_expired_2',
  text: `with claimed as (
      delete from claims where key in (
        select key from claims where until <= clock() order by until limit ${pruneRows} for update skip locked
      ) returning 1
    ), summed as (
      delete from sums where key in (select key from sums where ends_at <= clock() order by ends_at limit ${pruneRows} for update skip locked)
    ), rated as (
      delete from rates where key in (select key from rates where ends_at <= clock() limit ${pruneRows} for update skip locked) returning 1
    ) select greatest((select count(*) from claimed), (select count(*) from rated))`,
  maxCalls: 1,
  isRepeatable: true,
  values: () => [],
  answers: ([row]) => [Number(row?.[0]) === pruneRows],
}
