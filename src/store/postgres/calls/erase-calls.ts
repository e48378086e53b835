/**
 * The calls that erase the runs, groups and messages of events. Runs that wait, and groups, first become dead runs with `erasedDeath` as
 * their error, and dead runs are deleted by a later call. So each call may be repeated, and the repeat has the same answer.
 */

import { type CallKind, joinLines, lines, list } from '../call-kind.ts'
import type { ResultRow } from '../connection.ts'
import { mergedRun } from '../sql/group-functions.ts'

/** The error, as JSON, of a run that an erasure has ended and not yet deleted. */
const erasedDeath = JSON.stringify('erased')

/** The most ids of events or runs in one call. */
export const idsAtOnce = 100

/** The call that erases the messages of turns in some sessions. Answers the key after which the next call begins; `undefined` at the end. */
export const eraseTurnsKind: CallKind<{ readonly after: string; readonly turns: readonly string[] }, string | undefined> = {
  name: 'erase_turns_1',
  text: 'select erase_turns_1($1, $2::uuid[])',
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.after, list(call?.turns ?? [])],
  answers: ([row]) => [(row?.[0] as string | null) ?? undefined],
}

export type ErasureCall = { readonly ids: readonly string[]; readonly groups: readonly string[] }

/** The call that ends as dead runs the groups that would become runs of these events, and the groups that keep their prompts. */
export const endErasedGroupsKind: CallKind<ErasureCall, void> = {
  name: 'end_erased_groups_1',
  text: `with picked as (
      select key from groups where event_id = any ($1::text[]) or (keep = 'all' and event = any (${lines('$2')})) order by key for update
    ), gone as (
      delete from groups where key in (select key from picked) returning *
    )
    insert into runs (event_id, made_at, ended_at, lane, lane_limit, error, run)
    select g.event_id, clock(), clock(), g.lane, g.lane_limit, '${erasedDeath}', ${mergedRun} from gone as g`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [list(call?.ids ?? []), joinLines((call?.groups ?? []).map((group) => JSON.stringify(group)))],
  answers: () => [undefined],
}

/** A run with its stored text. */
export type StoredRun = { readonly id: string; readonly run: string }

const storedRun = ([id, run]: ResultRow): StoredRun => ({ id: String(id), run: String(run) })

export const runsOfEventsKind: CallKind<readonly string[], readonly StoredRun[]> = {
  name: 'runs_of_events_1',
  text: 'select id, run from runs where event_id = any ($1::text[]) order by id',
  maxCalls: 1,
  isRepeatable: true,
  values: ([ids]) => [list(ids ?? [])],
  answers: (rows) => [rows.map(storedRun)],
}

/** The most runs that one call reads, because a run may have a long text. */
const runsAtOnce = 1_000

/**
 * The call that finds, in the next runs after an id, those that seem to be the runs of groups. (`isRunToErase` says which are.) `next`: the
 * id after which the next call begins; `undefined` at the end.
 */
export const runsOfGroupsKind: CallKind<
  { readonly after: string; readonly groups: readonly string[] },
  { readonly runs: readonly StoredRun[]; readonly next: string | undefined }
> = {
  name: 'runs_of_groups_1',
  // In JSON, a quote in a text is escaped. So what is found is a member, though perhaps that of another object in the run.
  text: `with page as materialized (select id, run from runs where id > $1::bigint order by id limit ${runsAtOnce})
    select id, run from page where case when strpos(run, ',"merged":{"group":"') > 0 then exists (
      select 1 from unnest(string_to_array(run, ',"merged":{"group":"')) as t (rest) where split_part(rest, '"', 1) = any ($2::text[])
    ) end
    union all
    select max(id), null from page having count(*) = ${runsAtOnce}`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.after, list(call?.groups ?? [])],
  answers: (rows) => [
    { runs: rows.filter(([, run]) => run !== null).map(storedRun), next: rows.find(([, run]) => run === null)?.[0] as string | undefined },
  ],
}

/** What became of a run. `ended`: it was ended, by this call or by an earlier call, after so many attempts. */
export type EndedRun = { readonly id: string; readonly state: 'running' | 'ended' | 'dead'; readonly attempts: number }

/** The call that ends runs as dead, but for those in progress. Runs that are gone have no answer. */
export const endErasedRunsKind: CallKind<readonly string[], readonly EndedRun[]> = {
  name: 'end_erased_1',
  text: `select run_id, run_state, attempts from end_erased_1($1::bigint[], '${erasedDeath}')`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([ids]) => [list(ids ?? [])],
  answers: (rows) => [
    rows.map(([id, state, attempts]) => ({ id: String(id), state: state as EndedRun['state'], attempts: Number(attempts) })),
  ],
}

/** The call that deletes dead runs. Answers the ids of those that are not dead any more, because they were revived meanwhile. */
export const deleteErasedKind: CallKind<readonly string[], readonly string[]> = {
  name: 'delete_erased_1',
  text: `with gone as (
      delete from runs where id in (
        select id from runs where id = any ($1::bigint[]) and ended_at is not null order by id for update
      )
    ) select id from runs where id = any ($1::bigint[]) and ended_at is null`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([ids]) => [list(ids ?? [])],
  answers: (rows) => [rows.map(([id]) => String(id))],
}
