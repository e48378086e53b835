/**
 * The calls that take runs, turn groups into runs, renew and give back leases, cancel, and store replies and ends. The call that ends a run of a
 * lane is in lane-calls.ts.
 */

import { maxGroupsPerTake } from '../../bounds.ts'
import type { Cancelled, Lease, RunId } from '../../ports.ts'
import { parseStored } from '../../stored.ts'
import { boundedMs, type CallKind, joinLines, lines, list } from '../call-kind.ts'
import type { ResultRow } from '../connection.ts'
import type { DueBounds } from '../due-runs.ts'
import { hasPriority, isHigh, isLow, isYoung, lowStep, priorityStep } from '../sql/priority-indexes.ts'

/** The call that cancels the run or the group of an event. */
export const cancelKind: CallKind<string, Cancelled> = {
  name: 'cancel_2',
  text: 'select cancel_2($1)',
  maxCalls: 1,
  isRepeatable: true,
  values: ([eventId]) => [eventId],
  answers: ([row]) => [row?.[0] as Cancelled],
}

/** A run that was taken, and whether it is in a lane. `lease` is absent where the stored run cannot be read. */
export type TakenRun = { readonly runId: string; readonly fence: number; readonly isInLane: boolean; readonly lease?: Lease }

const takenRun = (row: ResultRow): TakenRun => {
  const [id, fence, attempt, interrupted, lane, run, reply] = row as [string, number, number, boolean, string | null, string, string | null]
  const stored = parseStored(run, reply)
  const taken = { runId: id, fence, isInLane: lane !== null }
  return stored === undefined ? taken : { ...taken, lease: { runId: id, fence, attempt, interrupted, ...stored } }
}

export type TakeCall = { readonly max: number; readonly leaseMs: number; readonly owner: bigint }

/**
 * The SQL of a bound for the next poll for due runs: five seconds before the earliest due time that was found, or before now where no run
 * was found. A statement that has begun and not ended may still make runs due at its beginning, and may take two seconds
 * (`statement_timeout`).
 */
const boundOf = (earliest: string): string => `coalesce(${earliest}, clock()) - interval '5 s'`

/** The call that takes due runs whose due times are not before `bounds`. Its answer has the bounds for the next call. */
export const takeKind: CallKind<
  TakeCall & { readonly bounds: DueBounds },
  { readonly runs: readonly TakenRun[]; readonly bounds: DueBounds }
> = {
  name: 'take_3',
  // Each kind of run is found by an index, in the order in which it is taken. So the statement reads few more rows than it takes, however
  // many runs wait. Fresh runs of high priority are found twice, with the others and before them. Until its step is over, a run of low
  // priority is taken only where no other run is left. The step is over once the run is due, or, where the call that made it due knew no
  // priorities, once it is not young any more (priority-indexes.ts).
  text: `with tried as materialized (
      select id, due_at, leased from runs where attempt > 0 and due_at <= clock() and due_at >= $5::timestamptz
      order by due_at, id limit $1 for update skip locked
    ), high as materialized (
      select id, due_at, leased from runs where ${isHigh} and due_at <= clock() and due_at >= $4::timestamptz
      order by due_at, id limit $1 - (select count(*) from tried) for update skip locked
    ), usual as materialized (
      select id, due_at, leased, ${hasPriority('high')} as is_high from runs
      where attempt = 0 and due_at is not null and due_at <= clock() and due_at >= $4::timestamptz and not (${isLow} and ${isYoung})
      order by due_at, id limit $1 - (select count(*) from tried) for update skip locked
    ), fresh as materialized (
      select id, due_at, leased, due_at - ${priorityStep} as rank_at from high
      union all select id, due_at, leased, due_at from usual where not is_high
      order by rank_at, id limit $1 - (select count(*) from tried)
    ), low as materialized (
      select id, due_at, leased from runs
      where ${isLow} and due_at <= clock() + ${priorityStep} and (due_at > clock() or ${isYoung})
      order by due_at, id limit $1 - (select count(*) from tried) - (select count(*) from fresh) for update skip locked
    ), picked as (
      select id, due_at, leased, 1 as rank, due_at as rank_at from tried union all select id, due_at, leased, 2, rank_at from fresh
      union all select id, due_at, leased, 3, due_at from low
    ), taken as (
      update runs set fence = fence + 1, attempt = attempt + 1, leased = true, was_leased = picked.leased, owner = $3,
        due_at = clock() + $2::float8 * interval '1 ms'
      from picked where runs.id = picked.id
      returning runs.id, runs.fence, runs.attempt, picked.leased, runs.lane, runs.run, runs.reply, picked.rank, picked.rank_at
    ), bounds as (
      select ${boundOf('(select min(due_at) from tried)')} as tried,
        case when (select count(*) from tried) < $1 then ${boundOf('(select min(due_at) from usual)')} else $4::timestamptz end as fresh
    )
    select id, fence, attempt, leased, lane, run, reply from (
      select * from taken
      union all
      select null, null, null, null, null, fresh::text, tried::text, 0, null from bounds
    ) as rows order by rank, rank_at, id`,
  maxCalls: 1,
  isRepeatable: false,
  values: ([call]) => [call?.max, boundedMs(call?.leaseMs ?? 0), String(call?.owner), call?.bounds.fresh, call?.bounds.tried],
  answers: ([bounds, ...rows]) => [{ runs: rows.map(takenRun), bounds: { fresh: String(bounds?.[5]), tried: String(bounds?.[6]) } }],
}

const groupsText = 'select run_id, 1, 1, false, run_lane, run_text, null from end_groups_1($1, $2::float8, $3)'

/** Turns the groups that are due into runs. */
export const endGroupsKind: CallKind<void, void> = {
  name: 'end_groups_1',
  text: groupsText,
  maxCalls: 1_000,
  isRepeatable: true,
  values: () => [maxGroupsPerTake, null, null],
  answers: (_, calls) => calls.map(() => undefined),
}

/** Turns groups into runs and takes those that may begin, whether the groups are due or not. */
export const takeGroupsKind: CallKind<TakeCall, readonly TakenRun[]> = {
  name: 'take_groups_1',
  text: groupsText,
  maxCalls: 1,
  isRepeatable: false,
  values: ([call]) => [call?.max, boundedMs(call?.leaseMs ?? 0), String(call?.owner)],
  answers: (rows) => [rows.map(takenRun)],
}

type Held = { readonly runId: string; readonly fence: number }

const isAboutAnotherRun = (calls: readonly Held[], { runId }: Held): boolean => calls.every((other) => other.runId !== runId)

/** Sorts calls by run id. Rows are locked in this order: two statements that lock the same rows in two orders would deadlock. */
const byId = <T extends Held>(calls: readonly T[]): readonly T[] => [...calls].sort((a, b) => Number(a.runId) - Number(b.runId))

const answerByIds = (rows: readonly ResultRow[], calls: readonly Held[]): readonly boolean[] => {
  const ids = new Set(rows.map(([id]) => id))
  return calls.map(({ runId }) => ids.has(runId))
}

const leased = 'runs.id = t.id and runs.fence = t.fence and runs.leased'

/** The call that deletes a done run which is in no lane. (A run of a lane is ended by `endRunKind`.) */
export const doneKind: CallKind<Held, boolean> = {
  name: 'done_1',
  text: `delete from runs using unnest($1::bigint[], $2::int[]) as t (id, fence) where ${leased} returning runs.id`,
  maxCalls: 500,
  isRepeatable: false,
  joins: isAboutAnotherRun,
  values(calls) {
    const sorted = byId(calls)
    return [list(sorted.map(({ runId }) => runId)), list(sorted.map(({ fence }) => fence))]
  },
  answers: answerByIds,
}

/**
 * An attempt that failed, or a run that is given back. `afterMs`: the time until the next attempt; `null` when the run is dead. `error`:
 * JSON, or empty for none. `isUncounted`: the attempt does not count.
 */
export type FailedCall = Held & { readonly afterMs: number | null; readonly error: string; readonly isUncounted: boolean }

/** The call that stores a failed attempt, or gives a run back. (A dead run of a lane is ended by `endRunKind`.) */
export const failedKind: CallKind<FailedCall, boolean> = {
  name: 'failed_2',
  text: `update runs set leased = false, error = nullif(t.error, ''),
      due_at = clock() + t.after * interval '1 ms' + case when t.uncounted and attempt = 1 then ${lowStep} else interval '0' end,
      attempt = attempt - t.uncounted::int, ended_at = case when t.after is null then clock() end
    from unnest($1::bigint[], $2::int[], $3::float8[], $4::boolean[], ${lines('$5')}) as t (id, fence, after, uncounted, error)
    where ${leased} returning runs.id`,
  maxCalls: 500,
  isRepeatable: false,
  joins: isAboutAnotherRun,
  values(calls) {
    const sorted = byId(calls)
    return [
      list(sorted.map(({ runId }) => runId)),
      list(sorted.map(({ fence }) => fence)),
      list(sorted.map(({ afterMs }) => (afterMs === null ? null : boundedMs(afterMs)))),
      list(sorted.map(({ isUncounted }) => isUncounted)),
      joinLines(sorted.map(({ error }) => error)),
    ]
  },
  answers: answerByIds,
}

/** The call that stores a reply. `reply`: the text that `replyText` makes. */
export const keepReplyKind: CallKind<Held & { readonly reply: string }, boolean> = {
  name: 'keep_reply_1',
  text: `update runs set reply = t.reply from unnest($1::bigint[], $2::int[], ${lines('$3')}) as t (id, fence, reply)
    where ${leased} returning runs.id`,
  maxCalls: 100,
  charsOf: ({ reply }) => reply.length,
  isRepeatable: true,
  joins: isAboutAnotherRun,
  values(calls) {
    const sorted = byId(calls)
    return [list(sorted.map(({ runId }) => runId)), list(sorted.map(({ fence }) => fence)), joinLines(sorted.map(({ reply }) => reply))]
  },
  answers: answerByIds,
}

export type RenewCall = { readonly leases: readonly Held[]; readonly leaseMs: number }

export const renewKind: CallKind<RenewCall, readonly RunId[]> = {
  name: 'renew_2',
  text: `update runs set due_at = clock() + $3::float8 * interval '1 ms'
    from unnest($1::bigint[], $2::int[]) as t (id, fence) where ${leased} returning runs.id`,
  maxCalls: 1,
  isRepeatable: true,
  values([call]) {
    const sorted = byId(call?.leases ?? [])
    return [list(sorted.map(({ runId }) => runId)), list(sorted.map(({ fence }) => fence)), boundedMs(call?.leaseMs ?? 0)]
  },
  answers: (rows) => [rows.map(([id]) => String(id))],
}

/** The call that answers which leases last. */
export const lastingKind: CallKind<readonly Held[], readonly RunId[]> = {
  name: 'lasting_1',
  text: `select runs.id from runs, unnest($1::bigint[], $2::int[]) as t (id, fence) where ${leased}`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call = []]) => [list(call.map(({ runId }) => runId)), list(call.map(({ fence }) => fence))],
  answers: (rows) => [rows.map(([id]) => String(id))],
}

/** The call that makes runs due which were given back. A run without an attempt is due before all runs that were accepted after it. */
export const makeDueKind: CallKind<readonly Held[], void> = {
  name: 'make_due_2',
  text: `update runs set due_at = case when attempt = 0 then made_at + ${lowStep} else clock() end
    from unnest($1::bigint[], $2::int[]) as t (id, fence)
    where runs.id = t.id and runs.fence = t.fence and not runs.leased and runs.due_at > clock()`,
  maxCalls: 1,
  isRepeatable: true,
  values([call = []]) {
    const sorted = byId(call)
    return [list(sorted.map(({ runId }) => runId)), list(sorted.map(({ fence }) => fence))]
  },
  answers: (_, calls) => calls.map(() => undefined),
}

/**
 * The statement that gives back the runs which are leased to an owner and which this process does not know: a statement whose answer was
 * lost has taken them. No attempt was made, so a run whose attempt before was interrupted stays leased, and owned by nobody, lest it is
 * given back once more.
 */
export const freeLeases = {
  name: 'free_leases_1',
  text: `update runs set leased = was_leased, owner = null, attempt = attempt - 1, due_at = clock()
    where attempt > 0 and due_at is not null and leased and owner = $1 and id <> all ($2::bigint[])`,
}
