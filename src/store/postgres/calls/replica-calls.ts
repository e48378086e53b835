/**
 * The calls about the replicas on a store: their heartbeats and states, the reloads that gateways and commands ask them for, and who is
 * leader.
 */

import { isReloadRequest, isReplicaState } from '../../../generated/stored-checks.js'
import type { BeatAnswer, ReloadRequest, Replica, ReplicaState } from '../../shared.ts'
import { storedJson } from '../../stored.ts'
import type { CallKind } from '../call-kind.ts'
import type { ResultRow } from '../connection.ts'
import { schemaVersion } from '../sql/schema.ts'

/**
 * The most replicas that are read. There may be more of them than gateways, because a process that ended within the last minute still
 * counts.
 */
const maxRead = 1_000

const isSeen = `seen_at > clock() - interval '1 minute'`
const shown = `id, about, asked, (extract(epoch from clock() - seen_at) * 1000)::float8 as seen_ms,
  (extract(epoch from seen_at) * 1000)::float8 as seen_epoch`

/** Returns the replica of a row, in a list; an empty list for a row that a later version wrote in another shape. */
const replicaOf = (row: ResultRow): readonly Replica[] => {
  const [id, about, stored, seenMs, seenAt] = row as [string, string, string | null, number, number]
  const [said, request] = [storedJson(about), stored === null ? undefined : storedJson(stored)]
  if (!isReplicaState(said)) return []
  const state = said as unknown as ReplicaState
  const asked = isReloadRequest(request) ? { asked: request as unknown as ReloadRequest } : {}
  return [{ id: String(id), seenMs: Math.max(0, seenMs), clockAheadMs: state.now - seenAt, state, ...asked }]
}

export type BeatCall = { readonly id: string; readonly about: string }

export const beatKind: CallKind<BeatCall, BeatAnswer> = {
  name: 'beat_1',
  text: `with mine as (
      insert into replicas as r (id, seen_at, about) values ($1::bigint, clock(), $2::text)
      on conflict (id) do update set seen_at = excluded.seen_at, about = excluded.about
      returning ${shown}
    )
    select *, (select min_reader from meta) from mine
    union all (select ${shown}, null from replicas where id <> $1::bigint and ${isSeen} order by id limit ${maxRead})`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.id, call?.about],
  answers: (rows) => [{ replicas: rows.flatMap(replicaOf), isTooNew: rows.some((row) => Number(row[5]) > schemaVersion) }],
}

export const replicasKind: CallKind<void, readonly Replica[]> = {
  name: 'replicas_1',
  text: `select ${shown} from replicas where ${isSeen} order by id limit ${maxRead}`,
  maxCalls: 1,
  isRepeatable: true,
  values: () => [],
  answers: (rows) => [rows.flatMap(replicaOf)],
}

export const askReloadKind: CallKind<string, readonly string[]> = {
  name: 'ask_reload_1',
  text: `update replicas set asked = $1::text where ${isSeen} returning id`,
  maxCalls: 1,
  isRepeatable: true,
  values: (requests) => requests,
  answers: (rows) => [rows.map(([id]) => String(id))],
}

export const leaveKind: CallKind<string, void> = {
  name: 'leave_1',
  text: `with led as (delete from leaders where replica = $1::bigint) delete from replicas where id = $1::bigint`,
  maxCalls: 1,
  isRepeatable: true,
  values: (ids) => ids,
  answers: () => [undefined],
}

export const forgetReplicasKind: CallKind<void, void> = {
  name: 'forget_replicas_1',
  text: `delete from replicas where not ${isSeen}`,
  maxCalls: 1_000,
  isRepeatable: true,
  values: () => [],
  answers: (_, calls) => calls.map(() => undefined),
}

export type LeadCall = { readonly task: string; readonly id: string; readonly leaseMs: number }

export const leadKind: CallKind<LeadCall, boolean> = {
  name: 'lead_1',
  text: `insert into leaders as l (task, replica, until) values ($1::text, $2::bigint, clock() + $3::float8 * interval '1 ms')
    on conflict (task) do update set replica = excluded.replica, until = excluded.until
      where l.replica = excluded.replica or l.until <= clock()
    returning 1`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.task, call?.id, call?.leaseMs],
  answers: (rows) => [rows.length > 0],
}
