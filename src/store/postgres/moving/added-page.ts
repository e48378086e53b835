/** Writes a page of another store's content into a shared database. */

import type { MovedKind, MovedPage, MovedSession } from '../../moving.ts'
import { parseSession } from '../../stored.ts'
import type { DatabaseConnection, Statement } from '../connection.ts'
import { keyOf } from '../keys.ts'

const inMs = (column: string): string => `clock() + "${column}" * interval '1 ms'`
const agoMs = (column: string): string => `clock() - "${column}" * interval '1 ms'`
/** The SQL of the event id of a run, which is the first text in the stored JSON. */
const eventOf = `split_part(run, '"', 4)`

/**
 * The statement for each kind of row. It writes the rows of `$1`, a JSON list; where the order of rows counts, in the order of the list.
 * The keys in `$1` are whole uuids.
 */
const insertTexts: { readonly [K in MovedKind]: string } = {
  claims: `insert into claims as held (key, until, mark) select distinct on (key) key, ${inMs('leftMs')}, 0
    from json_to_recordset($1::json) as t (key uuid, "leftMs" float8) order by key, "leftMs" desc
    on conflict (key) do update set until = greatest(held.until, excluded.until)`,
  // Leased runs, which a dead gateway had taken, are due before all other runs, and of these the runs with the most attempts come first. A
  // due run without attempts is due from now.
  runs: `insert into runs (event_id, made_at, due_at, ended_at, fence, attempt, leased, parked, lane, lane_limit, error, reply, run)
    select ${eventOf}, clock(), case when "dueInMs" is null then null when "isLeased" then to_timestamp(-attempt)
        when attempt = 0 and "dueInMs" <= 0 then clock() else ${inMs('dueInMs')} end,
      ${agoMs('deadForMs')}, fence, attempt, "isLeased", "isParked", lane, "laneLimit", error, reply, run
    from json_to_recordset($1::json) as t (place int, fence int, attempt int, "isLeased" boolean, "isParked" boolean, "dueInMs" float8,
      "deadForMs" float8, lane uuid, "laneLimit" int, error text, reply text, run text) order by place`,
  groups: `insert into groups (key, id, event_id, event, events, keep, first_at, due_at, lane, lane_limit, run, prompts, lengths)
    select key, nextval('group_ids'), ${eventOf}, opener, events, keep, ${agoMs('openForMs')}, ${inMs('dueInMs')}, lane, "laneLimit", run,
      array(select json_array_elements_text(prompts)), array(select json_array_elements_text(lengths)::int)
    from (select * from json_to_recordset($1::json) as t (place int, key uuid, opener text, events int, keep text, "openForMs" float8,
      "dueInMs" float8, lane uuid, "laneLimit" int, run text, prompts json, lengths json) order by place) as sorted`,
  positions: `insert into plans (key, name, at) select key, name, at from json_to_recordset($1::json) as t (key uuid, name text, at float8)`,
  sessions: `insert into sessions (key, about, profile, route, place, place_key, created_at, updated_at, used)
    select key, about, profile, route, place, "placeKey", ${agoMs('madeForMs')}, ${agoMs('idleMs')}, nextval('uses')
    from (select * from json_to_recordset($1::json) as t (place_in_order int, key uuid, about text, profile uuid, route uuid, place text,
      "placeKey" uuid, "madeForMs" float8, "idleMs" float8) order by place_in_order) as sorted`,
  messages: `insert into messages (session, turn, chars, message) select session, turn, chars, message
    from json_to_recordset($1::json) as t (place int, session uuid, turn uuid, chars int, message text) order by place`,
  sums: `insert into sums (key, ends_at, tokens, cost) select key, ${inMs('leftMs')}, tokens, cost
    from json_to_recordset($1::json) as t (key uuid, "leftMs" float8, tokens float8, cost float8)`,
}

/** The last 8 bits of each key in the database. A key in a moved row comes without them. */
const lastBits = '00'
const longKey = (key: string): string => `${key}${lastBits}`
const longOrNull = (key: string | null): string | null => key && longKey(key)

/** Returns the row of a session for the statement. A session whose name cannot be read belongs to no profile and no route. */
const sessionRow = ({ key, about, place, placeKey, ...times }: MovedSession): object => {
  const { profile = '', route = '' } = parseSession(about, null) ?? {}
  return { ...times, key: longKey(key), about, profile: keyOf(profile), route: keyOf(route), place, placeKey: longOrNull(placeKey) }
}

const rowsOf = (page: MovedPage): readonly object[] => {
  switch (page.kind) {
    case 'claims':
    case 'sums':
      return page.rows.map((row) => ({ ...row, key: longKey(row.key) }))
    case 'runs':
      return page.rows.map((row, place) => ({ ...row, place, lane: longOrNull(row.lane) }))
    case 'groups':
      return page.rows.map((row, place) => ({ ...row, place, key: longKey(row.key), lane: longOrNull(row.lane) }))
    case 'positions':
      return page.rows.map((row) => ({ ...row, key: keyOf(row.name) }))
    case 'sessions':
      return page.rows.map((row, place) => ({ ...sessionRow(row), place_in_order: place }))
    case 'messages':
      return page.rows.map((row, place) => ({ ...row, place, session: longKey(row.session), turn: longOrNull(row.turn) }))
  }
}

export const addPage = async (connection: DatabaseConnection, page: MovedPage): Promise<void> => {
  const statement: Statement = { name: `add_${page.kind}`, text: insertTexts[page.kind] }
  await connection.query(statement, [JSON.stringify(rowsOf(page))])
}
