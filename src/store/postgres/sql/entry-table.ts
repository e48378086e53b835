/** The tables of the subscriptions and jobs that were made at run time, and of values that all gateways share. */

/**
 * agreed: a row for each value that all gateways share, such as the key with which gateways mark their own comments.
 * entries: a row for each file of entries. `name`: the name of the entries. `revision`: the name of their text. `text`: the entries as
 * JSON, in which secrets stand as they were given.
 */
export const entryTable = `
  create table entries (
    name text primary key,
    revision text not null,
    text text not null,
    changed_at timestamptz not null
  );
  create table agreed (name text primary key, value text not null);
`
