/** The tables of the embedded database; a change to them is a new version. */

/** Marks a database file as this program's: "HGAT" in ASCII. */
export const applicationId = 0x48474154
export const schemaVersion = 1

/**
 * claims.mark: 0 or less for a claim that is kept; above, for one that waits to be settled, the number of the call that made it.
 * runs: never taken while fence is 0; dead when taken and without a due time; done ones are deleted.
 * A lease that ran out, or whose process died, stays `leased` until the run is taken again: that is how an interrupted one is known.
 * The index holds only runs that were taken, so that accepting one maintains no index; ids are never used twice.
 */
export const schema = `
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
  pragma user_version = ${schemaVersion};
`
