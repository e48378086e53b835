/** Reads from the database file what a stopped gateway left in it. */

import { join } from 'node:path'
import Database from 'libsql'

export type Left = { readonly integrity: string; readonly live: number; readonly dead: number; readonly groups: number }

export const leftIn = (dir: string): Left => {
  const db = new Database(join(dir, 'state', 'headgate.db'))
  try {
    const [integrity] = db.prepare('pragma integrity_check').raw().all() as [string][]
    const sql = `select (select count(*) from runs where ended_at is null), (select count(*) from runs where ended_at is not null),
      (select count(*) from groups)`
    const [row] = db.prepare(sql).raw().all() as [live: number, dead: number, groups: number][]
    const [live, dead, groups] = row ?? [-1, -1, -1]
    return { integrity: integrity?.[0] ?? 'unknown', live, dead, groups }
  } finally {
    db.close()
  }
}
