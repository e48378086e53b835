/** The SQL functions for groups (lane-functions.ts says in which order they lock, and how they are replaced). */

import { maxGroups, maxPromptChars, maxPrompts } from '../../bounds.ts'

/**
 * The SQL of the run that a group `g` becomes. It adds the member `merged` to a run's JSON without parsing it: the text always ends in a
 * brace.
 */
export const mergedRun = `case g.events when 1 then g.run else
  left(g.run, -1) || ',"merged":{"group":' || g.event || ',"count":' || g.events || ',"keep":"' || g.keep || '"' ||
  case g.keep when 'all' then ',"prompts":[' || array_to_string(g.prompts, ',') || ']' else '' end || '}}' end`

export const groupFunctions = `
  -- Adds events to their groups, in the order of the calls. No key comes twice. The answers are JSON.
  create function join_1(
    keys uuid[], holds float8[], marks bigint[], in_groups uuid[], event_ids text[], new_events text[], windows float8[], waits float8[],
    keeps text[], in_lanes uuid[], limits int[], new_runs text[], new_prompts text[], new_lengths int[]
  ) returns text[]
  language plpgsql as $$
  declare
    won uuid[];
    repeated uuid[];
    waiting int;
    joined groups;
    answer text;
    answers text[] := '{}';
  begin
    select c.won, c.repeated into won, repeated from claim_1(keys, holds, marks) as c;
    -- A group without events is one that this call may open.
    insert into groups (key) select distinct k from unnest(in_groups) as t (k) order by k
    on conflict (key) do update set events = groups.events;
    if exists (select 1 from groups where key = any (in_groups) and events = 0) then
      select count(*) into waiting from groups where due_at < 'infinity';
    end if;
    for i in 1 .. cardinality(keys) loop
      select * into joined from groups where key = in_groups[i];
      if joined.events = 0 and keys[i] <> all (repeated) and waiting >= ${maxGroups} then
        answer := case when keys[i] = any (won) then '"full"' else '"duplicate"' end;
        delete from claims where key = keys[i] and keys[i] = any (won);
      elsif keys[i] = any (won) then
        if joined.events = 0 then
          joined.id := nextval('group_ids');
          joined.event := new_events[i];
          joined.first_at := clock();
          waiting := waiting + 1;
        end if;
        if joined.events = 0 or keeps[i] <> 'first' then
          joined.run := new_runs[i];
          joined.event_id := event_ids[i];
        end if;
        joined.events := joined.events + 1;
        if keeps[i] = 'all' then
          joined.prompts := joined.prompts || new_prompts[i];
          joined.lengths := joined.lengths || new_lengths[i];
          while cardinality(joined.lengths) > 1 and
            (cardinality(joined.lengths) > ${maxPrompts} or (select sum(n) from unnest(joined.lengths) as t (n)) > ${maxPromptChars})
          loop
            joined.prompts := joined.prompts[2:];
            joined.lengths := joined.lengths[2:];
          end loop;
        end if;
        update groups set id = joined.id, event_id = joined.event_id, event = joined.event, events = joined.events, keep = keeps[i],
          first_at = joined.first_at, run = joined.run, prompts = joined.prompts, lengths = joined.lengths,
          lane = in_lanes[i], lane_limit = limits[i],
          due_at = least(clock() + windows[i] * interval '1 ms', joined.first_at + waits[i] * interval '1 ms')
        where key = in_groups[i];
        answer := '{"group":' || joined.event || ',"count":' || joined.events || '}';
      elsif keys[i] = any (repeated) then
        answer := '{"group":' || case joined.events when 0 then new_events[i] else joined.event end ||
          ',"count":' || greatest(1, joined.events) || '}';
      else
        answer := '"duplicate"';
      end if;
      answers := answers || answer;
    end loop;
    delete from groups where key = any (in_groups) and events = 0;
    return answers;
  end $$;

  -- Without a lease, turns at most this many due groups into runs. With a lease, turns groups into runs, due or not, until this many runs
  -- have begun and are leased.
  create function end_groups_1(most int, lease_ms float8, by_owner bigint)
  returns table (run_id bigint, run_lane uuid, run_text text)
  language plpgsql as $$
  declare
    picked uuid[];
    g groups;
    begins boolean;
  begin
    while most > 0 loop
      picked := array(
        select key from groups where due_at <= case when lease_ms is null then clock() else 'infinity' end
        order by due_at, id limit most for update skip locked
      );
      exit when cardinality(picked) = 0;
      perform lock_lanes_1(array(select lane from groups where key = any (picked)));
      for g in select * from groups where key = any (picked) order by due_at, id loop
        begins := true;
        if g.lane is not null then
          begins := fill_lane_1(g.lane, g.lane_limit);
          update lanes set open = open + begins::int where key = g.lane;
        end if;
        run_lane := g.lane;
        run_text := ${mergedRun};
        if begins and lease_ms is not null then
          most := most - 1;
          insert into runs (event_id, made_at, due_at, owner, fence, attempt, leased, lane, lane_limit, run)
          values (g.event_id, clock(), clock() + lease_ms * interval '1 ms', by_owner, 1, 1, true, g.lane, g.lane_limit, run_text)
          returning id into run_id;
          return next;
        else
          insert into runs (event_id, made_at, due_at, parked, lane, lane_limit, run)
          values (g.event_id, clock(), case when begins then clock() end, not begins, g.lane, g.lane_limit, run_text);
        end if;
      end loop;
      delete from groups where key = any (picked);
      exit when lease_ms is null;
    end loop;
  end $$;
`

export const fullGroupFunctions = `
  -- As join_1, and makes a run of each group that has as many events as it may (mosts; null: any number). A group with such a number is
  -- in one call only.
  create function join_2(
    keys uuid[], holds float8[], marks bigint[], in_groups uuid[], event_ids text[], new_events text[], windows float8[], waits float8[],
    keeps text[], in_lanes uuid[], limits int[], new_runs text[], new_prompts text[], new_lengths int[], mosts int[]
  ) returns text[]
  language plpgsql as $$
  declare
    answers text[];
    is_full uuid[];
    g groups;
    begins boolean;
  begin
    answers := join_1(keys, holds, marks, in_groups, event_ids, new_events, windows, waits, keeps, in_lanes, limits, new_runs, new_prompts,
      new_lengths);
    select array_agg(key) into is_full from groups join unnest(in_groups, mosts) as t (k, most) on key = k where events >= most;
    if is_full is not null then
      perform lock_lanes_1(array(select lane from groups where key = any (is_full)));
      for g in select * from groups where key = any (is_full) order by id loop
        begins := true;
        if g.lane is not null then
          begins := fill_lane_1(g.lane, g.lane_limit);
          update lanes set open = open + begins::int where key = g.lane;
        end if;
        insert into runs (event_id, made_at, due_at, parked, lane, lane_limit, run)
        values (g.event_id, clock(), case when begins then clock() end, not begins, g.lane, g.lane_limit, ${mergedRun});
      end loop;
      delete from groups where key = any (is_full);
    end if;
    return answers;
  end $$;
`
