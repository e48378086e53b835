/** Writes a page of another store's content into the embedded database, in one transaction of the caller. */

import type Database from 'libsql'
import { hourMs } from '../../../core/clock.ts'
import type { MovedClaim, MovedGroup, MovedPage, MovedRun } from '../../moving.ts'
import { lasting } from '../claims.ts'
import { fingerprintLength } from '../recent-claims.ts'

const keyOf = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url')
const keyOrNull = (hex: string | null): string | null => (hex === null ? null : keyOf(hex))

const texts = {
  hold: 'insert into held (until, keys) values (?, ?)',
  claim: `insert or ignore into claims (key, expires_at, mark) values (?, ?, ${lasting})`,
  run: `insert into runs (fence, attempt, leased, due_at, ended_at, lane, lane_limit, error, reply, run) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  group: `insert into groups (key, event, count, keep, first_at, due_at, window_ms, lane, lane_limit, run)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`,
  member: 'insert into members (group_id, n, chars, prompt) values (?, ?, ?, ?)',
  position: 'insert into plans (key, at) values (?, ?)',
  session: `insert into sessions (key, about, place, at, created_at, updated_at, used)
    values (?, ?, ?, ?, ?, ?, (select coalesce(max(used), 0) + 1 from sessions))`,
  message: `insert into messages (session_id, n, turn, chars, message)
    select id, (select coalesce(max(n), 0) + 1 from messages where session_id = id), ?2, ?3, ?4 from sessions where key = ?1`,
  sum: 'insert into sums (key, ends_at, window_ms, tokens, cost) values (?, ?, ?, ?, ?)',
} as const

/**
 * Returns the rows of the table `held` for these claims: by the time at which claims end, their joined fingerprints. Claims that end within
 * one second share a row, and end with that second.
 */
const heldRows = (claims: readonly MovedClaim[], now: number): ReadonlyMap<number, string> => {
  const rows = new Map<number, string>()
  for (const { key, leftMs } of claims) {
    const until = Math.ceil((now + leftMs) / 1_000) * 1_000
    rows.set(until, (rows.get(until) ?? '') + keyOf(key).slice(0, fingerprintLength))
  }
  return rows
}

type Values = readonly unknown[]

/** Returns the name of the statement that inserts the rows of a page, and the values of the statement for each row. */
const insertsOf = (
  page: Exclude<MovedPage, { kind: 'groups' | 'claims' }>,
  now: number,
): readonly [keyof typeof texts, readonly Values[]] => {
  switch (page.kind) {
    case 'runs':
      return ['run', page.rows.map((run) => runValues(run, now))]
    case 'positions':
      return ['position', page.rows.map(({ name, at }) => [name, at])]
    case 'sessions':
      return [
        'session',
        page.rows.map(({ key, about, place, placeKey, madeForMs, idleMs }) => [
          ...[keyOf(key), about, place, keyOrNull(placeKey), now - madeForMs, now - idleMs],
        ]),
      ]
    case 'messages':
      return ['message', page.rows.map(({ session, turn, chars, message }) => [keyOf(session), keyOrNull(turn), chars, message])]
    case 'sums':
      return ['sum', page.rows.map(({ key, leftMs, tokens, cost }) => [keyOf(key), now + leftMs, Math.max(0, leftMs), tokens, cost])]
  }
}

/**
 * Returns the values of a run. A parked run gets a fence below 0, made from the fence that it had. A run with fence 0 was never taken: it
 * has no due time, because it is due. So the fence of a dead run must be above 0.
 */
const runValues = (moved: MovedRun, now: number): Values => {
  const { fence, attempt, isLeased, isParked, dueInMs, deadForMs, lane, laneLimit, error, reply, run } = moved
  const storedFence = isParked ? -1 - fence : deadForMs === null ? fence : Math.max(1, fence)
  const dueAt = fence === 0 || dueInMs === null ? null : now + dueInMs
  const endedAt = deadForMs === null ? null : now - deadForMs
  return [storedFence, attempt, Number(isLeased), dueAt, endedAt, keyOrNull(lane), laneLimit, error, reply, run]
}

export const addPage = (db: Database.Database, page: MovedPage, now: number): void => {
  if (page.kind === 'groups') addGroups(db, page.rows, now)
  else if (page.kind === 'claims') addClaims(db, page.rows, now)
  else insert(db, ...insertsOf(page, now))
}

const insert = (db: Database.Database, name: keyof typeof texts, rows: readonly Values[]): void => {
  const statement = db.prepare(texts[name])
  for (const values of rows) statement.run(values)
}

/** Adds claims. Those that last for more than an hour get rows of their own, because a start cuts all others to an hour (claims.ts). */
const addClaims = (db: Database.Database, claims: readonly MovedClaim[], now: number): void => {
  const isLasting = ({ leftMs }: MovedClaim): boolean => leftMs > hourMs
  insert(db, 'hold', [
    ...heldRows(
      claims.filter((claim) => !isLasting(claim)),
      now,
    ),
  ])
  insert(
    db,
    'claim',
    claims.filter(isLasting).map(({ key, leftMs }) => [keyOf(key), now + leftMs]),
  )
}

const addGroups = (db: Database.Database, groups: readonly MovedGroup[], now: number): void => {
  const addMember = db.prepare(texts.member)
  const add = db.prepare(texts.group)
  for (const { key, opener, events, keep, openForMs, dueInMs, lane, laneLimit, run, prompts, lengths } of groups) {
    const values = [keyOf(key), opener, events, keep, now - openForMs, now + dueInMs, Math.max(0, dueInMs), keyOrNull(lane), laneLimit, run]
    const [row] = add.raw().all(values) as [number][]
    // A member, which is the prompt of one event, has the number of the event in the group. The latest events were kept, so the last member
    // has the number `events`.
    for (const [i, prompt] of prompts.entries()) addMember.run([row?.[0], events - prompts.length + i + 1, lengths[i], prompt])
  }
}
