/** The tables of event records. Times are whole microseconds since 1970, so that a reader can continue exactly after a line. */

/**
 * record_batches: a row for each batch that a gateway stored in one call. The upper half of `batch` is the number of the gateway's process.
 * `raw` has the raw requests of the batch, uncompressed, because compressing them would cost twenty times as much as storing an event, and
 * a piece of a compressed value cannot be read alone.
 * records: a row for each line. `delivery`: a hash of the delivery id as it stands in the JSON. `ended_group`: the group whose run ended.
 */
export const recordTables = `
  create function clock_us() returns bigint language sql stable as 'select (extract(epoch from clock()) * 1000000)::bigint';
  create table record_batches (
    batch bigint primary key,
    stored_us bigint not null,
    lines int not null,
    bytes bigint not null,
    raw bytea
  );
  alter table record_batches alter column raw set storage external;
  create index batches_by_time on record_batches (stored_us, batch);
  create table records (
    stored_us bigint,
    batch bigint,
    number int,
    event_id text collate "C" not null,
    delivery uuid,
    ended_group text collate "C",
    line text not null,
    primary key (stored_us, batch, number)
  ) with (autovacuum_vacuum_scale_factor = 0.05);
  create index lines_of_events on records (event_id);
  create index lines_of_deliveries on records (delivery) where delivery is not null;
  create index ends_of_groups on records (ended_group) where ended_group is not null;
`
