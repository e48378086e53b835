/** Prepares every SQL statement of the store in SQLite (`ledger.ts`), once. */

import type Database from 'libsql'
import { maxMessageChars, maxMessages, maxPositions, maxPromptChars, maxPrompts, maxSessions, maxSums } from '../bounds.ts'
import { endKeyConditions, hasPriority } from './schema.ts'

/**
 * A statement that takes its values as one list, or by name. (Values could also be separate arguments, but the driver would copy them by
 * `flat`, which costs a fifth of the time of a small statement.)
 */
type Statement = Database.Statement<[values?: readonly unknown[] | { readonly [name: string]: unknown }]>

export type Statements = { readonly [name in keyof typeof statementTexts]: Statement }

const pageRuns = 2_000

/**
 * Returns the SQL for an insert of a claim whose key is in the table: only an expired claim is replaced. `now`: the parameter with the
 * time.
 */
const unlessHeld = (now: string): string =>
  `on conflict (key) do update set expires_at = excluded.expires_at, mark = excluded.mark where claims.expires_at <= ${now}`

// A run's JSON begins with its event's id, which has no quote in it. Text functions read the id, because JSON functions throw on a damaged
// run.
const eventPrefix = '{"eventId":"'
const eventId = `substr(run, ${eventPrefix.length + 1}, instr(substr(run, ${eventPrefix.length + 1}, 129), '"') - 1)`
const isWanted = `substr(run, 1, ${eventPrefix.length}) = '${eventPrefix}' and ${eventId} in (select value from json_each(?))`

/** The mark with which the text of a cancelled run ends. */
export const cancelledMark = ',"cancelled":true}'
const isEndable = `ended_at is null and not (leased = 1 and reply is not null) and substr(run, -${cancelledMark.length}) <> '${cancelledMark}'`
const cancelColumns = `id, fence < 0, cast(lane as blob), ${eventId}`

// Adds the member `merged` to a run's JSON without parsing it: the text always ends in a brace.
const mergedRun = `case count when 1 then run else
  substr(run, 1, length(run) - 1) || ',"merged":{"group":' || event || ',"count":' || count || ',"keep":"' || keep || '"' ||
  case keep when 'all' then
    ',"prompts":[' || coalesce((select group_concat(prompt, ',' order by n) from members where group_id = groups.id), '') || ']'
  else '' end || '}}' end`

const sessionColumns = `cast(about as blob), cast(place as blob), cast(created_at as real), cast(updated_at as real),
  (select count(*) from messages where session_id = sessions.id)`

// Texts are read as blobs: a damaged page can hold text that is not UTF-8, and then the driver would end the whole process.
const statementTexts = {
  begin: 'begin immediate',
  commit: 'commit',

  acceptRuns: 'insert into runs (id, run) select ?1 + key, value from json_each(?2)',
  acceptInLane: 'insert into runs (id, fence, lane, lane_limit, run) values (?, ?, ?, ?, ?)',
  lastReserved: "select max(cast(seq as integer), (select coalesce(max(id), 0) from runs)) from sqlite_sequence where name = 'runs'",
  beginReserving:
    "insert into sqlite_sequence (name, seq) select 'runs', 0 where not exists (select 1 from sqlite_sequence where name = 'runs')",
  reserveUpTo: "update sqlite_sequence set seq = ? where name = 'runs'",

  claim: `insert into claims (key, expires_at, mark) values (?1, ?2, ?3) ${unlessHeld('?4')}`,
  isHeld: 'select expires_at from claims where key = ? and expires_at > ?',
  isUnsettled: 'select 1 from claims where key = ? and expires_at > ? and mark > 0',
  keepClaim: 'update claims set mark = ? where key = ? and mark > 0',
  dropClaim: 'delete from claims where key = ? and mark > 0',
  releaseClaim: 'delete from claims where key = ? and mark = ?',
  releaseAllClaims: 'delete from claims where mark > 0',
  capClaims: 'update claims set expires_at = ? where expires_at > ? and mark >= 0',
  anyClaim: 'select 1 from claims limit 1',
  held: 'select until, cast(keys as blob) from held where until > ?',
  hold: 'insert into held (until, keys) values (?, ?)',
  capHeld: 'update held set until = ? where until > ?',
  // The oldest rows are searched first, because their claims end first.
  pruneHeld: 'delete from held where id in (select id from (select id, until from held order by id limit ?) where until <= ?)',
  // A damaged key is compared as the text that it is. Every text is lower than a blob, so without ?2 no key is too high.
  pruneUpTo: 'select cast(key as blob) from claims where key > cast(? as text) order by key limit 1 offset ?',
  pruneClaims: `delete from claims where key > cast(?1 as text) and key <= coalesce(cast(?2 as text), x'') and expires_at <= ?3`,

  dueTried: 'select id, leased from runs where fence > 0 and due_at <= ? and attempt > 0 order by due_at, id limit ?',
  // Without the name of the index, SQLite would read the backlog in the order of its ids.
  unparked: 'select id, leased from runs indexed by tried where fence > 0 and due_at <= ? and attempt = 0 order by id limit ?',
  nextTried: 'select due_at from runs where fence > 0 and due_at is not null order by due_at limit 1',
  fresh: 'select id, leased from runs where id > ? and fence = 0 order by id limit ?',
  freshUsual: `select id, leased from runs where id > ? and fence = 0 and not (${hasPriority('high')}) and not (${hasPriority('low')}) order by id limit ?`,
  freshHigh: `select id, leased from runs indexed by high where id > 0 and fence = 0 and ${hasPriority('high')} order by id limit ?`,
  freshLow: `select id, leased from runs indexed by low where id > 0 and fence = 0 and ${hasPriority('low')} order by id limit ?`,
  unparkedOf: `select id, leased from runs indexed by tried where fence > 0 and due_at <= ? and attempt = 0
    and case when ${hasPriority('high')} then 'high' when ${hasPriority('low')} then 'low' else 'normal' end = ? order by id limit ?`,
  anyRanked: `select 1 from runs indexed by high where id > 0 and fence = 0 and ${hasPriority('high')}
    union all select 1 from runs indexed by low where id > 0 and fence = 0 and ${hasPriority('low')}
    union all select 1 from groups where ${hasPriority('high')} or ${hasPriority('low')} limit 1`,
  acceptedAt: `select id, iif(json_valid(run), json_extract(run, '$.acceptedAt'), null) from runs where id in (select value from json_each(?))`,
  lastId: 'select max(id) from runs',
  lease: `update runs set fence = fence + 1, attempt = attempt + 1, leased = 1, due_at = ? where id = ?
    returning fence, attempt, cast(run as blob) as run, cast(reply as blob) as reply`,
  // The rows are found by the ids of the leases, so that SQLite does not read the backlog.
  renew: `update runs set due_at = ?2 from json_each(?1) as held
    where runs.id = held.value ->> 0 and runs.fence = held.value ->> 1 and leased = 1 returning runs.id`,
  makeDue: `update runs set due_at = ?2 from json_each(?1) as given
    where runs.id = given.value ->> 0 and runs.fence = given.value ->> 1 and leased = 0 and due_at > ?2`,
  keepReply: 'update runs set reply = ? where id = ? and fence = ? and leased = 1',
  retryRun: 'update runs set leased = 0, due_at = ?, error = ?, attempt = attempt - ? where id = ? and fence = ? and leased = 1',
  endAsDead: 'update runs set leased = 0, due_at = null, ended_at = ?, error = ? where id = ? and fence = ? and leased = 1',
  deleteRun: 'delete from runs where id = ? and fence = ? and leased = 1',

  laneOf: 'select cast(lane as blob) from runs where id = ?',
  firstParked: 'select id from runs where lane = ? and fence < 0 order by id limit 1',
  unpark: 'update runs set fence = -fence, due_at = ? where id = ?',
  queuedLanes: `select cast(runs.lane as blob), waiting, cast(run as blob) from (
      select count(*) as waiting, min(id) as first from runs indexed by parked where fence < 0 and lane >= '' group by lane order by waiting desc limit ?
    ) join runs on id = first order by waiting desc`,
  deadRun: `select id, cast(lane as blob), lane_limit from runs indexed by dead where ended_at is not null and ${isWanted} order by id desc limit 1`,
  parkDead: 'update runs set fence = -1 - fence, attempt = 0, error = null, ended_at = null where id = ?',
  runsToCancel: `select ${cancelColumns}, leased = 1 and reply is not null from runs
    where ${isWanted} and ended_at is null and id > ?2 and id <= ?3`,
  runsToEnd: `select ${cancelColumns} from (
      ${endKeyConditions('?1')
        .map((holds) => `select * from (select * from runs where ${holds} and id <= ?2 and ${isEndable} order by id limit ?3)`)
        .join(' union all ')}
    ) order by id limit ?3`,
  // The text of a run always ends in a brace.
  cancelRun: `update runs set leased = 0, due_at = ?1, lane = null, fence = case when fence < 0 then -fence else fence + 1 end,
    run = substr(run, 1, length(run) - 1) || ?2 where id = ?3`,
  groupsToEnd: `select id, ${eventId} from groups where key <> ?2 and id in (${endKeyConditions('?1')
    .map((holds) => `select id from groups where ${holds}`)
    .join(' union all ')}) order by id`,
  groupsToCancel: `select id, cast(lane as blob), lane_limit from groups where ${isWanted}`,
  pruneDead: 'delete from runs where ended_at < ?',
  pruneMostDead:
    'delete from runs where id in (select id from runs where ended_at is not null order by ended_at desc, id desc limit -1 offset ?)',
  // A long backlog is searched in pages, one with each call, so that other calls need not wait for the whole search.
  pageEnd: `select id from runs where id > ? order by id limit 1 offset ${pageRuns - 1}`,
  runStandings: `select ${eventId}, attempt, leased, due_at, ended_at, cast(error as blob) from runs
    where ${isWanted} and id > ?2 and id <= ?3 order by id`,
  // A run that keeps the prompts of a whole group is about each event of the group.
  runsToErase: `select id, fence, attempt, leased, ended_at is not null, cast(lane as blob), cast(run as blob) from runs
    where (${isWanted} or iif(json_valid(run), json_extract(run, '$.merged.keep') = 'all'
      and json_extract(run, '$.merged.group') in (select value from json_each(?2)), 0)) and id > ?3 and id <= ?4`,
  eraseRun: 'delete from runs where id = ?',
  groupsToErase: `select id, cast(run as blob) from groups
    where ${isWanted} or (keep = 'all' and iif(json_valid(event), json_extract(event, '$') in (select value from json_each(?2)), 0))`,
  // A session whose messages are all erased is deleted too, because the name of the session may be that of a person.
  eraseSessions: `delete from sessions where id in (select session_id from messages group by session_id
    having sum(turn in (select value from json_each(?1))) > 0 and sum(turn is null or turn not in (select value from json_each(?1))) = 0)`,
  eraseMessages: 'delete from messages where turn in (select value from json_each(?))',
  groupStandings: `select ${eventId}, due_at from groups where ${isWanted} order by id`,

  queuedGroups: 'select cast(run as blob), count, due_at from groups order by due_at, id limit ?',
  groupOf: 'select 1 from groups where key = ?',
  join: `insert into groups (key, event, count, keep, first_at, due_at, window_ms, lane, lane_limit, run)
    values (:group, :event, 1, :keep, :now, :now + min(:windowMs, :maxWaitMs), :windowMs, :lane, :limit, :run)
    on conflict (key) do update set count = count + 1, keep = excluded.keep, due_at = min(excluded.due_at, first_at + :maxWaitMs),
      window_ms = excluded.window_ms, lane = excluded.lane, lane_limit = excluded.lane_limit,
      run = case excluded.keep when 'first' then run else excluded.run end
    returning id, count, cast(event as blob) as event`,
  addMember: 'insert into members (group_id, n, chars, prompt) values (?, ?, ?, ?)',
  trimMembers: `delete from members where group_id = ?1 and n < ?2 and n <= (
    select max(n) from (
      select n, sum(chars) over newest as total, row_number() over newest as place
      from members where group_id = ?1 window newest as (order by n desc)
    ) where total > ${maxPromptChars} or place > ${maxPrompts})`,
  dueGroups: 'select id, cast(lane as blob), lane_limit from groups where due_at <= ? order by due_at, id limit ?',
  nextGroup: 'select min(due_at) from groups',
  runOfGroup: `insert into runs (id, fence, lane, lane_limit, run) select ?, ?, lane, lane_limit, ${mergedRun} from groups where id = ?`,
  dropMembers: 'delete from members where group_id = ?',
  dropGroup: 'delete from groups where id = ?',

  positions: 'select cast(key as blob), at from plans',
  keepPosition: `insert into plans (key, at) select ?1, ?2
    where (select count(*) from plans) < ${maxPositions} or exists (select 1 from plans where key = ?1)
    on conflict (key) do update set at = excluded.at`,
  dropPosition: 'delete from plans where key = ?',

  sessionOf: 'select id from sessions where key = ?',
  openSession: `insert into sessions (key, about, place, at, created_at, updated_at, used)
    values (:key, :about, :place, :at, :now, :now, (select coalesce(max(used), 0) + 1 from sessions))
    on conflict (key) do update set place = coalesce(excluded.place, place), at = coalesce(excluded.at, at), updated_at = :now, used = excluded.used
    returning id`,
  touchSession: 'update sessions set updated_at = ?, used = (select max(used) + 1 from sessions) where id = ?',
  sessionsAt: 'select id from sessions where at = ? limit 2',
  hasTurn: 'select 1 from messages where session_id = ? and turn = ?',
  addMessage: `insert into messages (session_id, n, turn, chars, message)
    values (?1, (select coalesce(max(n), 0) + 1 from messages where session_id = ?1), ?2, ?3, ?4)`,
  trimMessages: `delete from messages where session_id = ?1 and n <= (
    select max(n) from (
      select n, sum(chars) over newest as total, row_number() over newest as place
      from messages where session_id = ?1 window newest as (order by n desc)
    ) where total > ${maxMessageChars} or place > ${maxMessages})`,
  trimSessions: `delete from sessions where id in (select id from sessions order by used desc limit -1 offset ${maxSessions})`,
  messagesOf: `select cast(message as blob) from messages where session_id = (select id from sessions where key = ?)
    order by n desc limit ?`,
  session: `select ${sessionColumns} from sessions where key = ?`,
  sessions: `select ${sessionColumns} from sessions order by used desc`,
  forgetSessions: 'delete from sessions where updated_at < ?',
  capSessions: 'update sessions set updated_at = min(updated_at, ?1), created_at = min(created_at, ?1) where updated_at > ?1',

  sum: 'select cast(tokens as real), cast(cost as real) from sums where key = ? and ends_at > ?',
  addToSum: `insert into sums (key, ends_at, window_ms, tokens, cost) values (:key, :now + :leftMs, :leftMs, :tokens, :cost)
    on conflict (key) do update set
      tokens = excluded.tokens + iif(ends_at > :now, tokens, 0), cost = excluded.cost + iif(ends_at > :now, cost, 0),
      window_ms = iif(ends_at > :now, window_ms, :leftMs), ends_at = iif(ends_at > :now, ends_at, :now + :leftMs)`,
  pruneSums: 'delete from sums where ends_at <= ?',
  trimSums: `delete from sums where key in (select key from sums order by ends_at desc limit -1 offset ${maxSums})`,
  capSums: 'update sums set ends_at = ?1 + window_ms where ends_at > ?1 + window_ms',

  // Runs that the dead process had taken come first, and of these the runs with the most attempts. A run without attempts is due now.
  freeRuns: `update runs set due_at = case when leased then -attempt when attempt = 0 then ?1 else ?2 end
    where fence > 0 and ended_at is null and (leased or due_at > case attempt when 0 then ?1 else ?2 end)`,
  capGroups:
    'update groups set first_at = min(first_at, ?1), due_at = min(due_at, ?1 + window_ms) where first_at > ?1 or due_at > ?1 + window_ms',
  capDead: 'update runs set ended_at = ?1 where ended_at > ?1',
  // Leased runs that no worker holds count as taken by the failed batch, so the attempt at them does not count. Runs that a dead process
  // had taken, and that were not taken since (`freeRuns`), stay interrupted.
  freeUnheldRuns: `update runs set leased = 0, attempt = attempt - 1, due_at = ?
    where leased and due_at >= 0 and id not in (select value from json_each(?))`,
  // `cursor`: no run with this id or a lower id is fresh.
  openCounts: `select (select count(*) from runs where ended_at is null) as backlog, (select count(*) from groups) as waiting,
    coalesce((select min(id) - 1 from runs where fence = 0), (select max(id) from runs), 0) as cursor`,
  // The counts use indexes only, because a pass through the backlog would keep all calls waiting.
  otherTotals: `select (select count(*) from runs indexed by parked where fence < 0 and lane >= '') as parked,
    (select count(*) from runs indexed by dead where ended_at is not null and ended_at >= 0) as dead, (select count(*) from sessions) as sessions`,
  oldestRun: `select json_extract(run, '$.acceptedAt') from runs where json_valid(run) and id = (select min(id) from (
    select id from (select id from runs where id > ? and fence = 0 order by id limit 1)
    union all select min(id) from runs indexed by high where id > 0 and fence = 0 and ${hasPriority('high')}
    union all select min(id) from runs indexed by low where id > 0 and fence = 0 and ${hasPriority('low')}
    union all select min(id) from runs indexed by tried where fence > 0 and due_at is not null
    union all select min(id) from runs indexed by parked where fence < 0 and lane >= ''))`,
  openLanes: `select cast(lane as blob), sum(fence >= 0), lane_limit, max(id) from runs where lane is not null and ended_at is null group by lane`,
} as const

/** Statements whose rows are read as objects, not as lists. */
const objectRows: readonly string[] = ['lease', 'join']

export const statementsOf = (db: Database.Database): Statements => {
  const prepared = Object.entries(statementTexts).map(([name, text]) => {
    const statement = db.prepare(text)
    return [name, !objectRows.includes(name) && statement.reader ? statement.raw() : statement] as const
  })
  return Object.fromEntries(prepared) as Statements
}
