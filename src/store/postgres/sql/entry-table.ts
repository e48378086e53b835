/** The table of the subscriptions and jobs that were made at run time. */

/** agreed: values that all gateways have, such as the key that seals the marks of comments. entries: name: which entries. revision: names the text. text: the entries as JSON, in which secrets stand as they were given. */
export const entryTable = `
  create table entries (
    name text primary key,
    revision text not null,
    text text not null,
    changed_at timestamptz not null
  );
  create table agreed (name text primary key, value text not null);
`
