/** Every statement the ledger runs, prepared once. */

import type Database from 'libsql'

export type Statements = { readonly [name in keyof typeof texts]: Database.Statement }

const unlessHeld = `on conflict (key) do update set expires_at = excluded.expires_at, mark = excluded.mark where claims.expires_at <= ?`

// Blobs, not text: the driver ends the whole process over text that is not UTF-8, which a damaged page can hold.
const texts = {
  begin: 'begin immediate',
  commit: 'commit',

  // json_each.key is a row's index in its batch: kept negative in `mark`, it tells cheaply which rows got their claim.
  acceptClaims: `insert into claims (key, expires_at, mark) select value ->> 0, value ->> 1, -key from json_each(?) where true ${unlessHeld}
    returning mark`,
  acceptRuns: 'insert into runs (run) select value from json_each(?)',
  acceptSomeRuns: 'insert into runs (run) select value from json_each(?) where key in (select value from json_each(?))',

  claim: `insert into claims (key, expires_at, mark) values (?, ?, ?) ${unlessHeld}`,
  keepClaim: 'update claims set mark = 0 where key = ? and mark > 0',
  dropClaim: 'delete from claims where key = ? and mark > 0',
  releaseClaim: 'delete from claims where key = ? and mark = ?',
  releaseAllClaims: 'delete from claims where mark > 0',
  capClaims: 'update claims set expires_at = ? where expires_at > ?',
  pruneUpTo: 'select key from claims where key > ? order by key limit 1 offset ?',
  prune: 'delete from claims where key > ? and key <= ? and expires_at <= ?',

  dueTried: 'select id, leased from runs where fence > 0 and due_at <= ? order by due_at, id limit ?',
  nextTried: 'select due_at from runs where fence > 0 and due_at is not null order by due_at limit 1',
  fresh: 'select id, leased from runs where id > ? and fence = 0 order by id limit ?',
  lease: `update runs set fence = fence + 1, attempt = attempt + 1, leased = 1, due_at = ? where id = ?
    returning fence, attempt, cast(run as blob) as run, cast(reply as blob) as reply`,
  keepReply: 'update runs set reply = ? where id = ? and fence = ? and leased = 1',
  endLease: 'update runs set leased = 0, due_at = ?, error = ? where id = ? and fence = ? and leased = 1',
  deleteRun: 'delete from runs where id = ? and fence = ? and leased = 1',

  // What the dead process had in hand comes first, and of that what was tried most.
  freeRuns: `update runs set due_at = case when leased then -attempt else ? end
    where fence > 0 and due_at is not null and (leased or due_at > ?)`,
  // Leased to nobody: no attempt was made.
  freeUnheldRuns: `update runs set leased = 0, attempt = attempt - 1, due_at = ?
    where leased and id not in (select value from json_each(?))`,
  standing: `select (select count(*) from runs where fence = 0 or due_at is not null) as backlog,
    (select max(id) from runs where fence > 0) as taken`,
} as const

/** Those whose rows are read as lists, not as objects. */
const lists: readonly string[] = ['acceptClaims', 'pruneUpTo', 'dueTried', 'nextTried', 'fresh', 'standing']

export const statementsOf = (db: Database.Database): Statements => {
  const prepared = Object.entries(texts).map(([name, text]) => {
    const statement = db.prepare(text)
    return [name, lists.includes(name) ? statement.raw() : statement] as const
  })
  return Object.fromEntries(prepared) as Statements
}
