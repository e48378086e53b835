/** Reads the content of a shared database in pages, for a move to another store. */

import type { MovedKind, MovedPage } from '../../moving.ts'
import { msUntil } from '../call-kind.ts'
import type { DatabaseConnection, ResultRow } from '../connection.ts'

const msSince = (column: string): string => `(extract(epoch from clock() - ${column}) * 1000)::float8`
/** Returns the SQL of a key in hexadecimal, without its last 8 bits, which are 0. */
const hexOf = (column: string): string => `left(replace(${column}::text, '-', ''), 30)`

type Query = {
  readonly kind: MovedKind
  readonly text: string
  readonly members: readonly string[]
  readonly pageRows: number
}

/**
 * Returns the queries that read the content, one for each kind of row. `openedAt`: the SQL of a time. Claims that ended before that time
 * are left out.
 */
const queriesFrom = (openedAt: string): readonly Query[] => [
  {
    kind: 'claims',
    text: `select ${hexOf('key')}, ${msUntil('until')} from claims where mark >= 0 and until > ${openedAt} order by until, key`,
    members: ['key', 'leftMs'],
    pageRows: 5_000,
  },
  {
    kind: 'runs',
    text: `select fence, attempt, leased, parked, case when leased then 0 else ${msUntil('due_at')} end, ${msSince('ended_at')},
      ${hexOf('lane')}, lane_limit, error, reply, run from runs order by made_at, id`,
    members: ['fence', 'attempt', 'isLeased', 'isParked', 'dueInMs', 'deadForMs', 'lane', 'laneLimit', 'error', 'reply', 'run'],
    pageRows: 200,
  },
  {
    kind: 'groups',
    text: `select ${hexOf('key')}, event, events, keep, ${msSince('first_at')}, ${msUntil('due_at')}, ${hexOf('lane')}, lane_limit, run,
      array_to_json(prompts), array_to_json(lengths) from groups where events > 0 order by id`,
    members: ['key', 'opener', 'events', 'keep', 'openForMs', 'dueInMs', 'lane', 'laneLimit', 'run', 'prompts', 'lengths'],
    pageRows: 50,
  },
  { kind: 'positions', text: 'select name, at from plans', members: ['name', 'at'], pageRows: 200 },
  {
    kind: 'sessions',
    text: `select ${hexOf('key')}, about, place, ${hexOf('place_key')}, ${msSince('created_at')}, ${msSince('updated_at')}
      from sessions order by used`,
    members: ['key', 'about', 'place', 'placeKey', 'madeForMs', 'idleMs'],
    pageRows: 200,
  },
  {
    kind: 'messages',
    text: `select ${hexOf('session')}, ${hexOf('turn')}, chars, message from messages order by session, n`,
    members: ['session', 'turn', 'chars', 'message'],
    pageRows: 50,
  },
  {
    kind: 'sums',
    text: `select ${hexOf('key')}, ${msUntil('ends_at')}, tokens, cost from sums`,
    members: ['key', 'leftMs', 'tokens', 'cost'],
    pageRows: 200,
  },
]

const movedRow = (members: readonly string[], row: ResultRow): object => Object.fromEntries(members.map((member, i) => [member, row[i]]))

/**
 * Yields the content in pages. The rows of one kind are read in one transaction, so that all show the same moment. A cursor keeps the rows
 * that were not fetched yet on the server. `openedAt`: the SQL of a time; claims that ended before this time are left out.
 */
export async function* exportedPages(connection: DatabaseConnection, openedAt: string): AsyncIterable<MovedPage> {
  for (const { kind, text, members, pageRows } of queriesFrom(openedAt)) {
    await connection.run(`begin; declare moving no scroll cursor for ${text}`)
    for (;;) {
      const rows = await connection.query({ name: '', text: `fetch ${pageRows} from moving` }, [])
      if (rows.length === 0) break
      yield { kind, rows: rows.map((row) => movedRow(members, row)) } as unknown as MovedPage
    }
    await connection.run('commit')
  }
}
