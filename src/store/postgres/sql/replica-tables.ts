/** The tables of the replicas of a shared store. */

/**
 * replicas: a row for each replica, written by each of its beats. `about` is its state, and `asked` the reload that somebody asked of it
 * last; both are JSON. leaders: the replica that alone has a task, until its lease runs out.
 */
export const replicaTables = `
  create table replicas (
    id bigint primary key,
    seen_at timestamptz not null,
    about text not null,
    asked text
  );
  create table leaders (
    task text primary key,
    replica bigint not null,
    until timestamptz not null
  );
`
