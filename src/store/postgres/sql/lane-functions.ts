/**
 * The SQL functions for claims and lanes. A statement sees the rows as they were when it began, so a lane is locked in one statement and
 * read in a later one: otherwise a run that was parked meanwhile would wait for a turn that never comes. Locks are taken in one order:
 * claims, groups, lanes, runs. Claims, lanes, and the groups that are joined are locked by key. Parked runs need no order, because whoever
 * changes them has their lane locked. A function is never changed once it was released, because programs of two versions
 * may work on one schema: a new form gets the next number.
 */

/**
 * The SQL for an insert of a claim whose key is in the table already. It takes over an expired claim. A call that is sent again finds its
 * own claim by the mark, and counts the repeat. The table has the alias `held`.
 */
export const overExpired = `on conflict (key) do update set
    until = case when held.mark = excluded.mark then held.until else excluded.until end,
    repeats = case when held.mark = excluded.mark then held.repeats + 1 else 0 end,
    mark = excluded.mark
  where held.until <= clock() or held.mark = excluded.mark`

export const laneFunctions = `
  -- Makes claims. won: the keys that are claimed now. repeated: the keys that an earlier sending of the same call had claimed.
  create function claim_1(keys uuid[], holds float8[], marks bigint[], out won uuid[], out repeated uuid[])
  language plpgsql as $$
  begin
    with claimed as (
      insert into claims as held (key, until, mark)
      select k, clock() + h * interval '1 ms', m from unnest(keys, holds, marks) as t (k, h, m) order by k
      ${overExpired}
      returning held.key, held.repeats
    )
    select coalesce(array_agg(key) filter (where repeats = 0), '{}'), coalesce(array_agg(key) filter (where repeats > 0), '{}')
    into won, repeated from claimed;
  end $$;

  create function lock_lanes_1(wanted uuid[]) returns void
  language sql as $$
    insert into lanes (key) select distinct k from unnest(wanted) as t (k) where k is not null order by k
    on conflict (key) do update set open = lanes.open;
  $$;

  -- Begins parked runs of a locked lane as far as this limit allows. Returns whether one more run may begin after them.
  create function fill_lane_1(of_lane uuid, new_turns int) returns boolean
  language plpgsql as $$
  declare
    room int;
    begun int := 0;
  begin
    select greatest(1, new_turns) - open into room from lanes where key = of_lane;
    if room > 0 then
      update runs set parked = false, fence = fence + 1, due_at = made_at
      where id in (select id from runs where lane = of_lane and parked order by made_at, id limit room);
      get diagnostics begun = row_count;
    end if;
    update lanes set open = open + begun, turns = new_turns where key = of_lane;
    return begun < room;
  end $$;

  -- Accepts runs in lanes, in the order of the calls. No key comes twice.
  create function accept_in_lanes_1(
    keys uuid[], holds float8[], marks bigint[], in_lanes uuid[], limits int[], refusing boolean[], events text[], new_runs text[]
  ) returns text[]
  language plpgsql as $$
  declare
    won uuid[];
    repeated uuid[];
    has_room boolean;
    answer text;
    answers text[] := '{}';
  begin
    select c.won, c.repeated into won, repeated from claim_1(keys, holds, marks) as c;
    perform lock_lanes_1(in_lanes);
    for i in 1 .. cardinality(keys) loop
      answer := 'accepted';
      if keys[i] = any (won) or (refusing[i] and keys[i] <> all (repeated)) then
        has_room := fill_lane_1(in_lanes[i], limits[i]);
        if keys[i] <> all (won) then
          answer := 'duplicate';
        elsif refusing[i] and not has_room then
          answer := 'busy';
          delete from claims where key = keys[i];
        else
          insert into runs (event_id, made_at, due_at, parked, lane, lane_limit, run)
          values (events[i], clock(), case when has_room then clock() end, not has_room, in_lanes[i], limits[i], new_runs[i]);
          if has_room then
            update lanes set open = open + 1 where key = in_lanes[i];
          end if;
        end if;
      elsif keys[i] <> all (repeated) then
        answer := 'duplicate';
      end if;
      answers := answers || answer;
    end loop;
    delete from lanes where key = any (in_lanes) and open <= 0;
    return answers;
  end $$;

  -- Stores the end of a run that may be in a lane: done, or dead with its error. False: the lease is lost.
  create function end_run_1(run_id bigint, run_fence int, death text) returns boolean
  language plpgsql as $$
  declare
    of_lane uuid;
    is_ended boolean;
  begin
    select lane into of_lane from runs where id = run_id;
    perform lock_lanes_1(array[of_lane]);
    if death is null then
      delete from runs where id = run_id and fence = run_fence and leased;
    else
      update runs set leased = false, due_at = null, ended_at = clock(), error = death
      where id = run_id and fence = run_fence and leased;
    end if;
    is_ended := found;
    if is_ended and of_lane is not null then
      update lanes set open = open - 1 where key = of_lane;
      perform fill_lane_1(key, turns) from lanes where key = of_lane;
    end if;
    delete from lanes where key = of_lane and open <= 0;
    return is_ended;
  end $$;

  -- Revives the latest dead run of an event. A run with a lane is parked, and begins at once where the lane allows that.
  create function revive_1(of_event text) returns boolean
  language plpgsql as $$
  declare
    dead record;
  begin
    select id, lane, lane_limit into dead from runs where event_id = of_event and ended_at is not null order by id desc limit 1;
    if not found then
      return false;
    end if;
    perform lock_lanes_1(array[dead.lane]);
    update runs set attempt = 0, error = null, ended_at = null, parked = dead.lane is not null,
      fence = fence + (dead.lane is null)::int, due_at = case when dead.lane is null then made_at end
    where id = dead.id and ended_at is not null;
    if not found then
      return false;
    end if;
    perform fill_lane_1(key, case when open = 0 then dead.lane_limit else turns end) from lanes where key = dead.lane;
    return true;
  end $$;
`
