/** The SQL functions that erase events (lane-functions.ts says in which order they lock, and how they are replaced). */

const sessionsAtOnce = 200

export const eraseFunctions = `
  -- Erases the messages of these turns in the next sessions after a key, and each session that has no other messages. Returns the key of the
  -- last of these sessions, or null where no session is left.
  create function erase_turns_1(after uuid, of_turns uuid[]) returns uuid
  language plpgsql as $$
  declare
    looked_at uuid[] := array(select key from sessions where key > after order by key limit ${sessionsAtOnce});
    touched uuid[] := array(select distinct session from messages where session = any (looked_at) and turn = any (of_turns));
  begin
    -- Who adds a message locks its session first, so no message is added to a session that is deleted here.
    perform 1 from sessions where key = any (touched) order by key for update;
    delete from messages where session = any (touched) and turn = any (of_turns);
    delete from sessions where key = any (touched) and not exists (select 1 from messages where session = key);
    return looked_at[cardinality(looked_at)];
  end $$;

  -- Ends these runs as dead with an error, but for those that are dead already or in progress.
  create function end_erased_1(of_runs bigint[], death text) returns table (run_id bigint, run_state text, attempts int)
  language plpgsql as $$
  declare
    in_lanes uuid[] := array(select distinct lane from runs where id = any (of_runs) and lane is not null order by lane);
    of_lane uuid;
  begin
    perform lock_lanes_1(in_lanes);
    perform 1 from runs where id = any (of_runs) order by id for update;
    update lanes set open = open - ended.runs from (
      select lane, count(*)::int as runs from runs
      where id = any (of_runs) and ended_at is null and not parked and not (leased and due_at > clock()) group by lane
    ) as ended where key = ended.lane;
    update runs set leased = false, parked = false, due_at = null, ended_at = clock(), error = death
    where id = any (of_runs) and ended_at is null and not (leased and due_at > clock());
    foreach of_lane in array in_lanes loop
      perform fill_lane_1(key, turns) from lanes where key = of_lane;
    end loop;
    delete from lanes where key = any (in_lanes) and open <= 0;
    return query select id, case when ended_at is null then 'running' when error = death then 'ended' else 'dead' end, attempt
      from runs where id = any (of_runs);
  end $$;

  -- Replaces lines of a batch, and overwrites pieces of its raw bytes with zeros. No other byte changes its place.
  create function erase_records_1(of_batch bigint, numbers int[], new_lines text[], starts int[], sizes int[]) returns void
  language plpgsql as $$
  declare
    stored record;
    size int;
  begin
    select stored_us, raw into stored from record_batches where batch = of_batch for update;
    for i in 1 .. cardinality(starts) loop
      size := least(sizes[i], length(stored.raw) - starts[i]);
      if size > 0 then
        stored.raw := overlay(stored.raw placing decode(repeat('00', size), 'hex') from starts[i] + 1 for size);
      end if;
    end loop;
    if cardinality(starts) > 0 then
      update record_batches set raw = stored.raw where batch = of_batch;
    end if;
    update records set line = erased.line, delivery = null from unnest(numbers, new_lines) as erased (number, line)
    where records.stored_us = stored.stored_us and records.batch = of_batch and records.number = erased.number;
  end $$;
`
