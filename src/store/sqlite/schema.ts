/** The tables of the embedded database; a change to them is a new version. */

/** Marks a database file as this program's: "HGAT" in ASCII. */
export const applicationId = 0x48474154

/**
 * claims.mark: 0 or less for a claim that is kept; above, for one that waits to be settled, the number of the call that made it.
 * runs: never taken while fence is 0; done ones are deleted. Texts that others wrote (`error`, `reply`, `run`) are JSON.
 * A lease that ran out, or whose process died, stays `leased` until the run is taken again: that is how an interrupted one is known.
 * The index holds only runs that were taken, so that accepting one maintains no index; ids are never used twice.
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
 * runs: one that waits for its turn in its lane has -1 less the fence it had, so that unseen it keeps what refuses late finishers;
 * its turn come, it has the next one and counts as taken. Dead ones have `ended_at`; whoever opens the file brings a later time down to now.
 * groups: what becomes a run when it is due; `event` is the opener's id as JSON. members: with `keep: all`, the prompts as JSON.
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

/** What each version adds to the one before; a new file goes through them all. */
const versions: readonly string[] = [version1, version2]

export const schemaVersion = versions.length

/** Brings a file of an earlier version, or an empty one (0), up to this one. */
export const upgradeFrom = (version: number): string =>
  version === schemaVersion ? '' : `${versions.slice(version).join('')} pragma user_version = ${schemaVersion};`
