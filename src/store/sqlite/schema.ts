/** The tables of the embedded database. Each change to the tables is a new version. */

export const databaseName = 'headgate.db'

/** The folder from which a restore puts files in their places. While it exists in the store's folder, gateways refuse the store. */
export const restoringName = 'restoring'

/** Marks a database file as this program's: "HGAT" in ASCII. */
export const applicationId = 0x48474154

/**
 * claims: a `mark` of 0 or less means that the claim is kept. Above 0 the claim waits to be settled, and `mark` is the number of the call
 * that made it. runs: `fence` is 0 until the run is first taken, and goes up each time that it is taken. A done run is deleted. `error`,
 * `reply` and `run` are JSON. When a lease runs out or its process dies, the run stays `leased`, so that the next worker learns that the
 * last attempt was interrupted. Ids are never used twice. The index `tried` has only runs that were taken, so that accepting a run does not
 * change the index.
 */
const version1 = `
  create table claims (
    key text primary key,
    expires_at real not null,
    mark integer not null
  ) without rowid;
  create table runs (
    id integer primary key autoincrement,
    fence integer not null default 0,
    attempt integer not null default 0,
    leased integer not null default 0,
    due_at real,
    error text,
    reply text,
    run text not null
  );
  create index tried on runs (due_at) where fence > 0;
  pragma application_id = ${applicationId};
`

/**
 * runs: a run that waits for its turn in its lane has a negative fence, so that it is not taken: -1 minus the fence that it had. The
 * negative number keeps the old fence, because a worker that finishes late must still be refused. When its turn comes, the run gets the
 * next fence and counts as taken. Dead runs have `ended_at`. The wall clock may have been set back since a run ended, so opening the file
 * sets each `ended_at` that lies in the future to now.
 * groups: each becomes a run when it is due. `event` is the id of the event that opened it, as JSON.
 * members: the prompts of a group with `keep: all`, as JSON.
 */
const version2 = `
  alter table runs add column lane text;
  alter table runs add column lane_limit integer;
  alter table runs add column ended_at real;
  update runs set ended_at = 9e15 where fence > 0 and due_at is null;
  update runs set error = json_quote(error) where error is not null;
  create index parked on runs (lane, id) where fence < 0;
  create index dead on runs (ended_at) where ended_at is not null;
  create table groups (
    id integer primary key,
    key text not null unique,
    event text not null,
    count integer not null,
    keep text not null,
    first_at real not null,
    due_at real not null,
    window_ms real not null,
    lane text,
    lane_limit integer,
    run text not null
  );
  create index ripe on groups (due_at);
  create table members (
    group_id integer not null,
    n integer not null,
    chars integer not null,
    prompt text not null,
    primary key (group_id, n)
  ) without rowid;
  create table plans (
    key text primary key,
    at real not null
  ) without rowid;
`

/**
 * sessions: `about` and `place` are JSON, `at` is a hash of profile and chat. `used` orders sessions by their last message, even within one
 * millisecond. The messages of a session are deleted with it.
 * sums: the usage in a window that ends at `ends_at`.
 */
const version3 = `
  create table sessions (
    id integer primary key,
    key text not null unique,
    about text not null,
    place text,
    at text,
    created_at real not null,
    updated_at real not null,
    used integer not null
  );
  create index places on sessions (at) where at is not null;
  create index recent on sessions (used);
  create table messages (
    session_id integer not null,
    n integer not null,
    turn text,
    chars integer not null,
    message text not null,
    primary key (session_id, n)
  ) without rowid;
  create trigger forgotten after delete on sessions begin
    delete from messages where session_id = old.id;
  end;
  create table sums (
    key text primary key,
    ends_at real not null,
    window_ms real not null,
    tokens real not null,
    cost real not null
  ) without rowid;
  create index ending on sums (ends_at);
`

/**
 * held: claims of runs without a lane. A row has the claims that one commit made, or a move brought, and that end at `until`. `keys` joins
 * the fingerprints of their keys (recent-claims.ts).
 */
const version4 = `
  create table held (
    id integer primary key,
    until real not null,
    keys text not null
  );
`

/**
 * Keys are the first 20 characters of a hash, as long as the keys of the shared store, so that the content of one store can be moved to the
 * other.
 * moved: has a row when the content was moved to another store. Then no gateway may use this store.
 */
const version5 = `
  update claims set key = substr(key, 1, 20);
  update runs set lane = substr(lane, 1, 20) where lane is not null;
  update groups set key = substr(key, 1, 20), lane = substr(lane, 1, 20);
  update sessions set key = substr(key, 1, 20), at = substr(at, 1, 20);
  update messages set turn = substr(turn, 1, 20) where turn is not null;
  update sums set key = substr(key, 1, 20);
  create table moved (one integer primary key);
`

// A run's JSON begins with its event's id, which has no quote in it, and its priority stands second. Text functions read it, because JSON
// functions throw on a damaged run. The text of an index and that of a statement that uses it must be the same.
const eventPrefix = '{"eventId":"'
const afterId = `substr(run, ${eventPrefix.length} + instr(substr(run, ${eventPrefix.length + 1}, 129), '"')`

/** The text of a priority behind the id, from the quote that ends the id to the quote that ends the priority. */
const priorityText = (priority: 'high' | 'low'): string => `","priority":"${priority}"`

/** The SQL condition that a run has this priority. */
export const hasPriority = (priority: 'high' | 'low'): string => {
  const text = priorityText(priority)
  return `${afterId}, ${text.length}) = '${text}'`
}

/** The indexes `high` and `low` have the runs with these priorities that were never taken. */
const version6 = `
  create index high on runs (id) where fence = 0 and ${hasPriority('high')};
  create index low on runs (id) where fence = 0 and ${hasPriority('low')};
`

// The keys by which later events end a run (`endKeys`) stand behind the id, or behind the priority.
const head = `${afterId}, 90)`
const keysBegin = '","endKeys":"'
const hasEndKeys = `instr(${head}, '${keysBegin}') in (1, ${priorityText('low').length}, ${priorityText('high').length})`
const endKeyAt = (at: number): string => `substr(${head}, instr(${head}, '${keysBegin}') + ${keysBegin.length + at}, 20)`
const hasSecond = `substr(${head}, instr(${head}, '${keysBegin}') + ${keysBegin.length + 20}, 1) = ' '`

/** The SQL conditions that a run or a group has a key, by the index that finds it. `key`: the SQL of the key. */
export const endKeyConditions = (key: string): readonly [first: string, second: string] => [
  `${hasEndKeys} and ${endKeyAt(0)} = ${key}`,
  `${hasEndKeys} and ${hasSecond} and ${endKeyAt(21)} = ${key}`,
]

const endKeyIndexes = (table: 'runs' | 'groups'): string => `
  create index ${table}_by_end_key on ${table} (${endKeyAt(0)}) where ${hasEndKeys};
  create index ${table}_by_second_end_key on ${table} (${endKeyAt(21)}) where ${hasEndKeys} and ${hasSecond};
`

/** The indexes find the runs and groups that a later event may end. Most have none of the keys, and no row in an index. */
const version7 = `${endKeyIndexes('runs')}${endKeyIndexes('groups')}`

/** For each version, the SQL that changes the tables of the version before it. A new file goes through all versions. */
const versions: readonly string[] = [version1, version2, version3, version4, version5, version6, version7]

/**
 * A kind of database file: its name, the mark of its header, and its tables. `versions`: for each version, the SQL that changes the tables
 * of the version before it; the first makes the tables and sets the mark.
 */
export type DatabaseForm = {
  readonly name: string
  readonly applicationId: number
  readonly versions: readonly string[]
  /** Deleted rows are overwritten with zeros. */
  readonly overwrites?: true
}

export const storeForm: DatabaseForm = { name: databaseName, applicationId, versions }

/** Returns the SQL that upgrades a file of an earlier version, or an empty file (0), to the present version. */
export const upgradeFrom = (version: number, versions: readonly string[]): string =>
  version === versions.length ? '' : `${versions.slice(version).join('')} pragma user_version = ${versions.length};`
