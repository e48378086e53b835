/** The table of the subscriptions and jobs that were made at run time. */

/** name: which entries. revision: names the text. text: the entries as JSON, in which secrets stand as they were given. */
export const entryTable = `
  create table entries (
    name text primary key,
    revision text not null,
    text text not null,
    changed_at timestamptz not null
  );
`
