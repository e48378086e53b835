/** The tables of the replicas of a shared store. */

/**
 * replicas: a row for each replica, written by each of its heartbeats. `about`: the state of the replica. `asked`: the last reload that the
 * replica was asked for. Both are JSON.
 * leaders: a row for each task, with the replica that alone has the task until its lease runs out.
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
