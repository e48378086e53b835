/**
 * The SQL functions that end the work of earlier events, and cancel runs (lane-functions.ts says in which order functions lock, and how they
 * are replaced). The keys of a run stand in its text (`endKeys`), so that functions of older programs keep them.
 */

import { maxEnded } from '../../bounds.ts'
import { mergedRun } from './group-functions.ts'
import { lowStep } from './priority-indexes.ts'

const keys = `case when split_part(run, '"', 6) = 'endKeys' then split_part(run, '"', 8)
  when split_part(run, '"', 6) = 'priority' and split_part(run, '"', 10) = 'endKeys' then split_part(run, '"', 12) end`

const firstKey = `left(${keys}, 20)`
const hasKeys = `(${keys}) is not null`
const secondKey = `substr(${keys}, 22)`
const hasSecond = `length(${keys}) > 20`

/** The SQL of the ids of the rows of a table that have a key which \`test\` is about, each found by an index. */
const withKey = (table: 'runs' | 'groups', column: string, test: string): string => `(
      select ${column} from ${table} where ${hasKeys} and ${firstKey} ${test}
      union select ${column} from ${table} where ${hasSecond} and ${secondKey} ${test})`

const indexes = (table: 'runs' | 'groups'): string => `
  create index ${table}_by_end_key on ${table} ((${firstKey})) where ${hasKeys};
  create index ${table}_by_second_end_key on ${table} ((${secondKey})) where ${hasSecond};
`

/** The text with which the run of a cancelled run ends. */
const cancelled = ',"cancelled":true}'
const isEndable = `ended_at is null and not (leased and reply is not null) and right(run, ${cancelled.length}) <> '${cancelled}'`

export const endingFunctions = `
  ${indexes('runs')}
  ${indexes('groups')}

  -- Marks runs as cancelled, takes them out of their lanes, which are locked, and makes them due. A worker that has such a run loses its
  -- lease by the higher fence. A run without an attempt keeps its place before later runs. The text of a run always ends in a brace. Returns the events of the runs.
  create function mark_runs_1(of_runs bigint[], new_mark text) returns text[]
  language plpgsql as $$
  declare
    of_events text[];
    left_lanes uuid[];
    of_lane uuid;
  begin
    with marked as (
      update runs set lane = null, parked = false, leased = false, fence = fence + 1, run = left(run, -1) || new_mark,
        due_at = case when attempt = 0 then made_at + ${lowStep} else clock() end
      from (select id, lane, parked from runs where id = any (of_runs) order by id for update) as before
      where runs.id = before.id
      returning runs.id, runs.event_id, before.lane, before.parked
    )
    select array_agg(event_id order by id), array_agg(lane) filter (where lane is not null and not parked) into of_events, left_lanes from marked;
    update lanes set open = open - freed.runs
    from (select k, count(*)::int as runs from unnest(left_lanes) as t (k) group by k) as freed where key = freed.k;
    for of_lane in select distinct k from unnest(left_lanes) as t (k) loop
      perform fill_lane_1(key, turns) from lanes where key = of_lane;
    end loop;
    return coalesce(of_events, '{}');
  end $$;

  -- Cancels the run of an event. A group that would become the run becomes it first, outside of its lane.
  create function cancel_2(of_event text) returns text
  language plpgsql as $$
  declare
    in_lanes uuid[];
    found_runs bigint[];
  begin
    with gone as (
      delete from groups where key in (select key from groups where event_id = of_event order by key for update) returning *
    )
    insert into runs (event_id, made_at, due_at, run) select g.event_id, clock(), clock(), ${mergedRun} from gone as g;
    in_lanes := array(select distinct lane from runs where event_id = of_event and ended_at is null and lane is not null);
    perform lock_lanes_1(in_lanes);
    found_runs := array(
      select id from runs where event_id = of_event and ended_at is null and not (leased and reply is not null)
        and (lane is null or lane = any (in_lanes)) order by id for update
    );
    perform mark_runs_1(found_runs, '${cancelled}');
    delete from lanes where key = any (in_lanes) and open <= 0;
    if cardinality(found_runs) > 0 then
      return 'cancelled';
    end if;
    return case when exists (select 1 from runs where event_id = of_event and ended_at is null) then 'delivering' else 'none' end;
  end $$;

  -- Takes the work of events as accept_beside_2 does, one after the other, and ends the earlier work of the key that an event names
  -- (endKey). A claim of this key is locked, too (endLock): of two events with one key that come at once, the later sees the work of the
  -- other.
  create function accept_ending_1(calls json) returns text[]
  language plpgsql as $$
  declare
    c record;
    end_keys text[];
    in_groups uuid[];
    in_lanes uuid[];
    old_runs bigint[];
    old_groups uuid[];
    new_mark text;
    is_repeat boolean;
    found_works int;
    ended text[];
    answer text;
    answers text[] := '{}';
  begin
    insert into claims (key, until, mark)
    select distinct k::uuid, '-infinity'::timestamptz, 0
    from json_array_elements(calls) as t (row), unnest(array[row ->> 'key', row ->> 'beside', row ->> 'endLock']) as u (k)
    where k is not null order by 1
    on conflict (key) do update set until = claims.until;
    select array_agg(distinct row ->> 'endKey') into end_keys from json_array_elements(calls) as t (row) where row ->> 'endKey' is not null;
    in_groups := array(
      select (row ->> 'group')::uuid from json_array_elements(calls) as t (row) where row ->> 'group' is not null
      union ${withKey('groups', 'key', '= any (end_keys)')}
    );
    insert into groups (key) select k from unnest(in_groups) as t (k) order by k
    on conflict (key) do update set events = groups.events;
    in_lanes := array(
      select (row ->> 'lane')::uuid from json_array_elements(calls) as t (row) where row ->> 'lane' is not null
      union select lane from runs where lane is not null and ended_at is null and id in ${withKey('runs', 'id', '= any (end_keys)')}
    );
    perform lock_lanes_1(in_lanes);
    perform 1 from runs where id in ${withKey('runs', 'id', '= any (end_keys)')} order by id for update;
    for c in
      select row, row ->> 'endKey' as end_key, row ->> 'by' as of_event, (row ->> 'key')::uuid as key, (row ->> 'mark')::bigint as mark,
        (row ->> 'group')::uuid as of_group
      from json_array_elements(calls) with ordinality as t (row, place) order by place
    loop
      is_repeat := exists (select 1 from claims where key = c.key and until > clock() and claims.mark = c.mark);
      old_runs := array(
        select id from runs where id in ${withKey('runs', 'id', '= c.end_key')} and ${isEndable} and (lane is null or lane = any (in_lanes))
        order by made_at, id limit ${maxEnded + 1}
      );
      old_groups := array(
        select key from groups where events > 0 and key = any (in_groups) and key in ${withKey('groups', 'key', '= c.end_key')} order by id
      );
      answer := (accept_beside_2(json_build_array(c.row)))[1];
      if c.end_key is not null and answer not in ('"duplicate"', '"unsettled"', '"repeated"', '"busy"', '"full"') then
        new_mark := ',"endedBy":"' || c.of_event || '"${cancelled}';
        if is_repeat then
          ended := array(select event_id from runs where id in ${withKey('runs', 'id', '= c.end_key')} and right(run, length(new_mark)) = new_mark);
          found_works := 0;
        else
          if answer like '{%' then
            old_groups := array_remove(old_groups, c.of_group);
          end if;
          found_works := cardinality(old_runs) + cardinality(old_groups);
          old_runs := old_runs[1:${maxEnded}];
          with gone as (
            delete from groups where key = any (old_groups[1:${maxEnded} - cardinality(old_runs)]) returning *
          ), made as (
            insert into runs (event_id, made_at, due_at, run) select g.event_id, clock(), clock(), ${mergedRun} from gone as g order by g.id
            returning id
          )
          select old_runs || coalesce(array_agg(id order by id), '{}') into old_runs from made;
          ended := mark_runs_1(old_runs, new_mark);
        end if;
        answer := json_build_object('taken', case answer when '"claimed"' then '"accepted"' else answer end::json,
          'ended', array_to_json(ended), 'isMore', found_works > ${maxEnded})::text;
      end if;
      answers := answers || answer;
    end loop;
    delete from groups where key = any (in_groups) and events = 0;
    delete from lanes where key = any (in_lanes) and open <= 0;
    return answers;
  end $$;
`
