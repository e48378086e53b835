/** The calls that store, read and delete the records of events (`SharedRecords` in src/store/shared-records.ts). */

import type { ErasedLine, OthersLines, RawPiece, RecordLimits, SharedLinePlace, StoredLine } from '../../shared-records.ts'
import { type CallKind, joinLines, lines, list } from '../call-kind.ts'
import type { ResultRow } from '../connection.ts'
import { ownerOf } from '../keys.ts'

/**
 * Returns the SQL of the value of a member in a line of JSON, for a member whose value is a text. No other part of the line can match the
 * member's name with its quotes, because JSON escapes quotes in texts.
 */
const memberOf = (name: string): string => `nullif(split_part(split_part(line, '"${name}":"', 2), '","', 1), '')`

export type AddCall = { readonly batch: bigint; readonly lines: Buffer; readonly count: number; readonly raw: Buffer }

/**
 * The call that stores a batch of lines. A batch that is sent again is stored only once, because it is known by its number. The number is
 * made of the numbers of the process and of the call (`CallMarks`), so no other batch has it.
 */
export const addRecordsKind: CallKind<AddCall, void> = {
  name: 'add_records_1',
  text: `with stored as (
      insert into record_batches (batch, stored_us, lines, bytes, raw)
      values ($1::bigint, clock_us(), $4::int, octet_length($2::text) + octet_length($3::bytea), nullif($3::bytea, ''))
      on conflict (batch) do nothing returning batch, stored_us
    )
    insert into records (stored_us, batch, number, event_id, delivery, ended_group, line)
    select stored_us, batch, number, split_part(line, '"', 12), md5(${memberOf('delivery_id')})::uuid,
      case when line like '{"kind":"ended"%' then ${memberOf('group')} end, line
    from stored, unnest(string_to_array($2::text, E'\\n')) with ordinality as t (line, number)`,
  maxCalls: 1,
  isRepeatable: true,
  // The driver sends a buffer as it is, without escaping it.
  values: ([call]) => [String(call?.batch), call?.lines, call?.raw, call?.count],
  answers: () => [undefined],
}

const columns = 'stored_us, batch, number, line'
const newestFirst = 'order by stored_us desc, batch desc, number desc'
/** The most lines of one answer about an event, a delivery id or a group. */
const maxEventLines = 1_000

const lineOf = ([storedUs, batch, number, line]: ResultRow): StoredLine => ({
  storedUs: Number(storedUs),
  batch: String(batch),
  number: number as number,
  line: line as string,
})

const readKind = <Call>(name: string, text: string, values: (call: Call) => readonly unknown[]): CallKind<Call, readonly StoredLine[]> => ({
  name,
  text: `select ${columns} from records where ${text}`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => values(call as Call),
  answers: (rows) => [rows.map(lineOf)],
})

const end: SharedLinePlace = { storedUs: Number.MAX_SAFE_INTEGER, batch: '0', number: 0 }

export const recordsBeforeKind = readKind<{ readonly place: SharedLinePlace | undefined; readonly max: number }>(
  'records_before_1',
  `(stored_us, batch, number) < ($1::bigint, $2::bigint, $3::int) ${newestFirst} limit $4::int`,
  ({ place: { storedUs, batch, number } = end, max }) => [storedUs, batch, number, max],
)

/**
 * The call for the lines of events whose ids begin with a prefix: the ids from the prefix up to the prefix with a tilde. Ids have only
 * characters that sort before the tilde.
 */
export const recordsOfEventsKind = readKind<string>(
  'records_of_events_1',
  `event_id >= $1::text and event_id < $1::text || '~' ${newestFirst} limit ${maxEventLines}`,
  (prefix) => [prefix],
)

export const recordsOfDeliveryKind = readKind<string>(
  'records_of_delivery_1',
  `delivery = md5($1::text)::uuid ${newestFirst} limit ${maxEventLines}`,
  (deliveryId) => [JSON.stringify(deliveryId).slice(1, -1)],
)

export const groupEndsKind = readKind<string>('group_ends_1', `ended_group = $1::text ${newestFirst} limit ${maxEventLines}`, (group) => [
  group,
])

export const rawBytesKind: CallKind<{ readonly batch: string; readonly offset: number; readonly bytes: number }, Buffer | undefined> = {
  name: 'raw_bytes_1',
  text: 'select substring(raw from $2::int + 1 for $3::int) from record_batches where batch = $1::bigint',
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.batch, call?.offset, call?.bytes],
  answers: ([row]) => [(row?.[0] as Buffer | null | undefined) ?? undefined],
}

/**
 * The call for the lines of events after a place. The ids must be checked by `isEventId`. The lines are looked up by their events alone, lest
 * the database's planner reads all lines in the order of their places.
 */
export const linesOfEventsKind: CallKind<
  { readonly eventIds: readonly string[]; readonly after: SharedLinePlace | undefined },
  readonly StoredLine[]
> = {
  name: 'lines_of_events_1',
  text: `with found as materialized (select ${columns} from records where event_id = any ($1::text[]))
    select ${columns} from found where (stored_us, batch, number) > ($2::bigint, $3::bigint, $4::int)
    order by stored_us, batch, number limit ${maxEventLines}`,
  maxCalls: 1,
  isRepeatable: true,
  values([call]) {
    const { storedUs, batch, number } = call?.after ?? { storedUs: 0, batch: '0', number: 0 }
    return [list(call?.eventIds ?? []), storedUs, batch, number]
  },
  answers: (rows) => [rows.map(lineOf)],
}

/** The call that replaces lines of a batch, and overwrites pieces of its raw bytes. */
export const eraseRecordsKind: CallKind<
  { readonly batch: string; readonly lines: readonly ErasedLine[]; readonly raw: readonly RawPiece[] },
  void
> = {
  name: 'erase_records_1',
  text: `select erase_records_1($1, $2::int[], ${lines('$3')}, $4::int[], $5::int[])`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([{ batch, lines, raw } = { batch: '0', lines: [], raw: [] }]) => [
    batch,
    list(lines.map(({ number }) => number)),
    joinLines(lines.map(({ line }) => line)),
    list(raw.map(({ offset }) => offset)),
    list(raw.map(({ bytes }) => bytes)),
  ],
  answers: () => [undefined],
}

/** The most lines of other gateways in one answer. */
const maxOthersLines = 5_000

export const recordsOfOthersKind: CallKind<{ readonly owner: bigint; readonly after: SharedLinePlace | undefined }, OthersLines> = {
  name: 'records_of_others_1',
  text: `select ${columns}, now_us from (select clock_us() as now_us) as server left join lateral (
      select ${columns} from records where (stored_us, batch, number) > ($1::bigint, $2::bigint, $3::int) and ${ownerOf('batch')} <> $4::bigint
      order by stored_us, batch, number limit ${maxOthersLines}
    ) as found on true order by stored_us, batch, number`,
  maxCalls: 1,
  isRepeatable: true,
  values([call]) {
    const { storedUs, batch, number } = call?.after ?? end
    return [storedUs, batch, number, String(call?.owner)]
  },
  answers: (rows) => [{ lines: rows.filter(([storedUs]) => storedUs !== null).map(lineOf), nowUs: Number(rows[0]?.[4]) }],
}

export type RecordTotals = { readonly lines: number; readonly bytes: number }

const totalsOf = (rows: readonly ResultRow[]): readonly RecordTotals[] => [{ lines: Number(rows[0]?.[0]), bytes: Number(rows[0]?.[1]) }]

export const recordTotalsKind: CallKind<void, RecordTotals> = {
  name: 'record_totals_1',
  text: 'select coalesce(sum(lines), 0), coalesce(sum(bytes), 0) from record_batches',
  maxCalls: 1,
  isRepeatable: true,
  values: () => [],
  answers: totalsOf,
}

export type PruneRecordsCall = Pick<RecordLimits, 'maxAgeMs'> & { readonly over: RecordTotals }

/** The most batches that one call deletes, and the number of deleted lines after which the call deletes no further batch. */
const pruneBatches = 200
const pruneLines = 5_000

/**
 * The call that deletes old batches, the oldest first. A batch is deleted when it is older than `maxAgeMs`, or when the batches before it
 * have fewer lines or bytes than `over`, the excess over the limits. Answers the numbers of deleted lines and bytes: no lines where nothing
 * is past the limits.
 */
export const pruneRecordsKind: CallKind<PruneRecordsCall, RecordTotals> = {
  name: 'prune_records_1',
  text: `with oldest as (
      select batch, stored_us, sum(lines) over before_it as lines_before, sum(bytes) over before_it as bytes_before
      from (
        select batch, stored_us, lines, bytes from record_batches order by stored_us, batch limit ${pruneBatches} for update skip locked
      ) as few window before_it as (order by stored_us, batch rows between unbounded preceding and 1 preceding)
    ), gone as (
      delete from record_batches where batch in (
        select batch from oldest where coalesce(lines_before, 0) < ${pruneLines} and (
          stored_us < clock_us() - $1::float8 * 1000 or coalesce(lines_before, 0) < $2::bigint or coalesce(bytes_before, 0) < $3::bigint
        )
      ) returning stored_us, batch, lines, bytes
    ), forgotten as (
      delete from records using gone where records.stored_us = gone.stored_us and records.batch = gone.batch
    ) select coalesce(sum(lines), 0), coalesce(sum(bytes), 0) from gone`,
  maxCalls: 1,
  isRepeatable: false,
  values: ([call]) => [call?.maxAgeMs, Math.round(call?.over.lines ?? 0), Math.round(call?.over.bytes ?? 0)],
  answers: totalsOf,
}
