/** The tables of the requests that a relay keeps, and the statements on them. */

import type { DatabaseForm } from '../../store/sqlite/schema.ts'

/** Marks a database file as that of a relay: "HGRL" in ASCII. */
const applicationId = 0x4847524c

/**
 * items: `bytes`: the size of head and body, by which the request counts towards the limits. `client`: the network of the client's address.
 * ended: what became of requests that no gateway took: `why` is `expired`, or `refused` with the status of the gateway's answer.
 */
const version1 = `
  create table relay (name text not null);
  create table items (
    id integer primary key autoincrement,
    gateway text not null,
    lane text not null,
    client text not null,
    at integer not null,
    bytes integer not null,
    head text not null,
    body blob not null
  );
  create index of_lane on items (gateway, lane, id);
  create index oldest on items (gateway, id);
  create table ended (
    number integer primary key autoincrement,
    id integer not null,
    gateway text not null,
    lane text not null,
    at integer not null,
    ended_at integer not null,
    bytes integer not null,
    why text not null
  );
  create index of_gateway on ended (gateway, number);
  create table counts (
    gateway text not null,
    lane text not null,
    what text not null,
    number integer not null,
    primary key (gateway, lane, what)
  ) without rowid;
  pragma application_id = ${applicationId};
`

/** A request has the tokens and bodies of senders, so nothing of it stays once it has ended. */
export const ledgerFile: DatabaseForm = { name: 'relay.db', applicationId, versions: [version1], overwrites: true }

/** The columns of `ItemFacts`. */
const facts = 'id, gateway, lane, client, bytes, at'
export const statements = {
  keep: 'insert into items (gateway, lane, client, at, bytes, head, body) values (?, ?, ?, ?, ?, ?, ?)',
  facts: `select ${facts} from items where id = ? and gateway = ?`,
  forget: 'delete from items where id = ?',
  old: `select ${facts} from items where gateway = ? and lane = ? and at < ? order by id limit ?`,
  next: `select ${facts} from items where gateway = ? and lane = ? and id > ? and id <= ? order by id limit ?`,
  whole: `select ${facts}, head, body from items where id = ?`,
  oldest: 'select at from items where gateway = ? order by id limit 1',
  each: `select ${facts} from items order by id`,
  counts: 'select gateway, lane, what, number from counts order by gateway, lane, what',
  count: `insert into counts (gateway, lane, what, number) values (?, ?, ?, ?)
    on conflict (gateway, lane, what) do update set number = number + excluded.number`,
  record: 'insert into ended (id, gateway, lane, at, ended_at, bytes, why) values (?, ?, ?, ?, ?, ?, ?)',
  bound: 'delete from ended where number <= (select max(number) from ended) - ?',
  ended: `select id, gateway, lane, at, ended_at as "endedAt", bytes, why from ended where gateway = ? order by number desc limit ?`,
}
