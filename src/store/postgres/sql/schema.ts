/**
 * The tables of the shared database, in a schema of their own. Each change to the tables is a new version, and no version is ever undone.
 */

import { besideFullFunctions, besideFunctions } from './beside-functions.ts'
import { cancelFunctions } from './cancel-functions.ts'
import { endingFunctions } from './ending-functions.ts'
import { entryTable } from './entry-table.ts'
import { eraseFunctions } from './erase-functions.ts'
import { fullGroupFunctions, groupFunctions } from './group-functions.ts'
import { laneFunctions } from './lane-functions.ts'
import { lowIndex, priorityIndexes } from './priority-indexes.ts'
import { recordTables } from './record-tables.ts'
import { replicaTables } from './replica-tables.ts'
import { sessionFunctions } from './session-functions.ts'

/**
 * The settings of a table whose rows live for minutes: the database cleans the table after a number of deleted rows, not after a percentage
 * of the table.
 */
const shortLived = 'with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)'

/**
 * JSON is stored in columns of type text, because jsonb takes neither NUL nor half of a surrogate pair. A key is the beginning of a
 * SHA-256.
 *
 * `clock`: the time of the store. Tests replace it.
 *
 * `claims`: `mark` names the call that made the claim; below 0, the claim waits to be settled. `repeats` counts how often that call was
 * sent again after its outcome was unknown.
 *
 * `runs`: `made_at` is when the run was accepted, made of its group, or moved here, and orders runs without attempts. A parked run and a
 * dead run have no `due_at`. `fence` goes up each time that the run is taken, gets its turn, or is revived. When a lease runs out, the run
 * stays `leased`, so that the next worker learns that the last attempt was interrupted. `was_leased`: the last take found the run
 * leased, so a process that gives the run back without an attempt leaves it leased. `owner` is the process that took the run last, below 0
 * where the process took the run as it accepted it. A done run is deleted.
 *
 * `lanes`: a row for each lane with an open run. `open`: the number of open runs. `turns`: how many may be open at once. Whoever changes a
 * lane, or parks or begins a run of it, has its row locked.
 *
 * `sessions`: `used` orders the sessions by their last messages. A statement for several calls takes one value of `uses` and adds the place
 * of each call to the value, so the values are 1000 apart.
 *
 * `rates`: a row for each route's window. `granted`: the number of requests that the last call was granted.
 *
 * `groups`: each becomes a run when it is due. `event` is the id of the event that opened the group. The prompts lie in the group's own
 * row, so that the lock of the row covers them.
 */
const tables = `
  create function clock() returns timestamptz language sql stable as 'select now()';
  create table claims (
    key uuid primary key,
    until timestamptz not null,
    mark bigint not null,
    repeats int not null default 0
  ) ${shortLived};
  create index expiring on claims (until);
  create table runs (
    id bigint generated always as identity primary key,
    event_id text not null,
    made_at timestamptz not null,
    due_at timestamptz,
    ended_at timestamptz,
    owner bigint,
    fence int not null default 0,
    attempt int not null default 0,
    leased boolean not null default false,
    parked boolean not null default false,
    lane uuid,
    lane_limit int,
    error text,
    reply text,
    run text not null
  ) ${shortLived};
  create index fresh on runs (due_at, id) where attempt = 0 and due_at is not null;
  create index tried on runs (due_at, id) where attempt > 0 and due_at is not null;
  create index parked on runs (lane, made_at, id) where parked;
  create index dead on runs (ended_at, id) where ended_at is not null;
  create index events on runs (event_id);
  create table lanes (
    key uuid primary key,
    open int not null default 0,
    turns int not null default 1
  ) ${shortLived};
  create sequence group_ids;
  create table groups (
    key uuid primary key,
    id bigint not null default 0,
    event_id text not null default '',
    event text not null default '',
    events int not null default 0,
    keep text not null default '',
    first_at timestamptz not null default 'infinity',
    due_at timestamptz not null default 'infinity',
    lane uuid,
    lane_limit int,
    run text not null default '',
    prompts text[] not null default '{}',
    lengths int[] not null default '{}'
  ) ${shortLived};
  create index ripe on groups (due_at, id);
  create index latest_events on groups (event_id);
  create table plans (
    key uuid primary key,
    name text not null,
    at float8 not null
  );
  create sequence uses increment 1000;
  create table sessions (
    key uuid primary key,
    about text not null,
    profile uuid not null,
    route uuid not null,
    place text,
    place_key uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    used bigint not null
  );
  create index recent on sessions (used);
  create index idle on sessions (updated_at);
  create index places on sessions (place_key) where place_key is not null;
  create table messages (
    session uuid not null references sessions on delete cascade,
    n bigint generated always as identity,
    turn uuid,
    chars int not null,
    message text not null,
    primary key (session, n)
  );
  create table sums (
    key uuid primary key,
    ends_at timestamptz not null,
    tokens float8 not null,
    cost float8 not null
  );
  create index ending on sums (ends_at);
  create table rates (
    key uuid primary key,
    ends_at timestamptz not null,
    used int not null,
    granted int not null
  ) ${shortLived};
`

/** For each version, the SQL that changes the tables of the version before it. A new schema goes through all versions. */
const versions: readonly string[] = [
  `${tables}${replicaTables}${entryTable}${recordTables}${laneFunctions}${groupFunctions}${sessionFunctions}`,
  'alter table runs add column was_leased boolean not null default false;',
  eraseFunctions,
  cancelFunctions,
  priorityIndexes,
  lowIndex,
  besideFunctions,
  `${fullGroupFunctions}${besideFullFunctions}`,
  endingFunctions,
]

export const schemaVersion = versions.length

/**
 * The lowest schema version that a program must know to work with these tables. A program that knows only lower versions refuses the
 * tables.
 */
export const minReader = 1

/** Returns the SQL that upgrades a schema of an earlier version, or an empty schema (0), to the present version. */
export const upgradeFrom = (version: number): string => versions.slice(version).join('')
