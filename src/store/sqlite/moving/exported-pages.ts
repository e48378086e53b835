/** Reads the content of the embedded database in pages, for a move to another store. */

import type Database from 'libsql'
import type { MovedClaim, MovedGroup, MovedMessage, MovedPage, MovedPosition, MovedRun, MovedSession, MovedSum } from '../../moving.ts'
import { fingerprintLength } from '../recent-claims.ts'

const pageRows = 200
/** The most rows of `held` in a page. Most rows have the claims of one commit, up to a thousand. */
const pageCommits = 20

/**
 * Returns a text that the other store takes. In a damaged file a text may have NUL, line ends, or bytes that are not UTF-8. Each of these
 * is replaced.
 */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/[\0\r\n]/g, '\uFFFD')
const textOrNull = (bytes: Buffer | null): string | null => bytes && textOf(bytes)

/** Writes a key or a fingerprint in hexadecimal. The bits that a fingerprint lacks are 0. */
const hexOf = (key: Buffer): string =>
  Buffer.from(key.toString('latin1').padEnd(20, 'A'), 'base64url').toString('hex').padEnd(30, '0').slice(0, 30)
const hexOrNull = (key: Buffer | null): string | null => key && hexOf(key)

/** Reads the rows of a query in pages. Columns are cast to blobs, because the driver ends the process on text that is no UTF-8. */
function* pagesOf<Row, Moved>(
  db: Database.Database,
  text: string,
  values: readonly unknown[],
  moved: (row: Row) => Moved,
  most = pageRows,
): Iterable<readonly Moved[]> {
  let page: Moved[] = []
  for (const row of db.prepare(text).raw().iterate(values) as Iterable<Row>) {
    page.push(moved(row))
    if (page.length < most) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

const runColumns = `fence, attempt, leased, due_at, ended_at, cast(lane as blob), lane_limit,
  cast(error as blob), cast(reply as blob), cast(run as blob)`
type RunRow = [
  fence: number,
  attempt: number,
  leased: number,
  dueAt: number | null,
  endedAt: number | null,
  lane: Buffer | null,
  laneLimit: number | null,
  error: Buffer | null,
  reply: Buffer | null,
  run: Buffer,
]

const movedRun =
  (now: number) =>
  ([fence, attempt, leased, dueAt, endedAt, lane, laneLimit, error, reply, run]: RunRow): MovedRun => {
    const isParked = fence < 0
    return {
      fence: isParked ? -1 - fence : fence,
      attempt,
      isLeased: leased === 1,
      isParked,
      // A run that was never taken has no due time, because it is due.
      dueInMs: isParked || endedAt !== null ? null : leased === 1 || dueAt === null ? 0 : dueAt - now,
      deadForMs: endedAt === null ? null : now - endedAt,
      lane: hexOrNull(lane),
      laneLimit,
      error: textOrNull(error),
      reply: textOrNull(reply),
      run: textOf(run),
    }
  }

type GroupRow = [
  id: number,
  key: Buffer,
  event: Buffer,
  count: number,
  keep: Buffer,
  firstAt: number,
  dueAt: number,
  lane: Buffer | null,
  laneLimit: number | null,
  run: Buffer,
]

const movedGroup =
  (db: Database.Database, now: number) =>
  ([id, key, event, events, keep, firstAt, dueAt, lane, laneLimit, run]: GroupRow): MovedGroup => {
    const members = db.prepare('select cast(prompt as blob), chars from members where group_id = ? order by n').raw().all([id])
    const prompts = members as [prompt: Buffer, chars: number][]
    return {
      key: hexOf(key),
      opener: textOf(event),
      events,
      keep: textOf(keep),
      openForMs: now - firstAt,
      dueInMs: dueAt - now,
      lane: hexOrNull(lane),
      laneLimit,
      run: textOf(run),
      prompts: prompts.map(([prompt]) => textOf(prompt)),
      lengths: prompts.map(([, chars]) => chars),
    }
  }

/**
 * Claims that ended before `openedAt` are left out: a key may have an ended claim and a later one, and the other store takes one for each
 * key.
 */
function* claimPages(db: Database.Database, now: number, openedAt: number): Iterable<readonly MovedClaim[]> {
  const held = 'select until, cast(keys as blob) from held where until > ? order by id'
  const claimsOf = ([until, keys]: [number, Buffer]): MovedClaim[] =>
    Array.from({ length: Math.floor(keys.length / fingerprintLength) }, (_, i) => {
      const key = keys.subarray(i * fingerprintLength, (i + 1) * fingerprintLength)
      return { key: hexOf(key), leftMs: until - now }
    })
  for (const page of pagesOf(db, held, [openedAt], claimsOf, pageCommits)) yield page.flat()
  const single = 'select cast(key as blob), expires_at from claims where mark <= 0 and expires_at > ?'
  const claimOf = ([key, until]: [Buffer, number]): MovedClaim => ({ key: hexOf(key), leftMs: until - now })
  yield* pagesOf(db, single, [openedAt], claimOf, 5_000)
}

/** Yields the whole content in pages. `now`: the present time by the store's clock. `openedAt`: the time at which the store was opened. */
export function* exportedPages(db: Database.Database, now: number, openedAt: number): Iterable<MovedPage> {
  for (const rows of claimPages(db, now, openedAt)) yield { kind: 'claims', rows }
  for (const rows of pagesOf(db, `select ${runColumns} from runs order by id`, [], movedRun(now))) yield { kind: 'runs', rows }
  const groups = `select id, cast(key as blob), cast(event as blob), count, cast(keep as blob), first_at, due_at, cast(lane as blob),
    lane_limit, cast(run as blob) from groups order by id`
  for (const rows of pagesOf(db, groups, [], movedGroup(db, now), 50)) yield { kind: 'groups', rows }
  const positionOf = ([name, at]: [Buffer, number]): MovedPosition => ({ name: textOf(name), at })
  for (const rows of pagesOf(db, 'select cast(key as blob), at from plans', [], positionOf)) yield { kind: 'positions', rows }
  const sessions = `select cast(key as blob), cast(about as blob), cast(place as blob), cast(at as blob), created_at, updated_at
    from sessions order by used`
  const sessionOf = ([key, about, place, at, madeAt, usedAt]: [
    Buffer,
    Buffer,
    Buffer | null,
    Buffer | null,
    number,
    number,
  ]): MovedSession => ({
    key: hexOf(key),
    about: textOf(about),
    place: textOrNull(place),
    placeKey: hexOrNull(at),
    madeForMs: now - madeAt,
    idleMs: now - usedAt,
  })
  for (const rows of pagesOf(db, sessions, [], sessionOf)) yield { kind: 'sessions', rows }
  const messages = `select cast(key as blob), cast(turn as blob), chars, cast(message as blob)
    from messages join sessions on sessions.id = session_id order by session_id, n`
  const messageOf = ([session, turn, chars, message]: [Buffer, Buffer | null, number, Buffer]): MovedMessage => ({
    session: hexOf(session),
    turn: hexOrNull(turn),
    chars,
    message: textOf(message),
  })
  for (const rows of pagesOf(db, messages, [], messageOf, 50)) yield { kind: 'messages', rows }
  const sums = 'select cast(key as blob), ends_at, tokens, cost from sums'
  const sumOf = ([key, endsAt, tokens, cost]: [Buffer, number, number, number]): MovedSum => ({
    key: hexOf(key),
    leftMs: endsAt - now,
    tokens,
    cost,
  })
  for (const rows of pagesOf(db, sums, [], sumOf)) yield { kind: 'sums', rows }
}
