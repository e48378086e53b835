/** The SQL function that cancels runs (lane-functions.ts says in which order functions lock, and how they are replaced). */

import { mergedRun } from './group-functions.ts'

export const cancelFunctions = `
  -- Marks the run of an event as cancelled, and makes it due. A group that would become the run becomes it first, outside of its lane. A
  -- worker that has the run loses its lease by the higher fence. The text of a run always ends in a brace.
  create function cancel_1(of_event text) returns text
  language plpgsql as $$
  declare
    in_lanes uuid[] := array(select lane from runs where event_id = of_event and parked);
    open_runs int;
  begin
    with gone as (
      delete from groups where key in (select key from groups where event_id = of_event order by key for update) returning *
    )
    insert into runs (event_id, made_at, due_at, run) select g.event_id, clock(), clock(), ${mergedRun} from gone as g;
    perform lock_lanes_1(in_lanes);
    update runs set lane = case when parked then null else lane end, parked = false, leased = false, fence = fence + 1, due_at = clock(),
      run = left(run, -1) || ',"cancelled":true}'
    where id in (
      select id from runs where event_id = of_event and ended_at is null and not (leased and reply is not null) order by id for update
    );
    get diagnostics open_runs = row_count;
    delete from lanes where key = any (in_lanes) and open <= 0;
    if open_runs > 0 then
      return 'cancelled';
    end if;
    return case when exists (select 1 from runs where event_id = of_event and ended_at is null) then 'delivering' else 'none' end;
  end $$;
`
