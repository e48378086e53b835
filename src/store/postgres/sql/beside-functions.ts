/**
 * The SQL function for events with a second claim beside that of their delivery id (lane-functions.ts says in which order functions lock,
 * and how they are replaced).
 */

import { overExpired } from './lane-functions.ts'
import { lowStep } from './priority-indexes.ts'

const acceptBeside = (name: string, join: string, column = '', argument = ''): string => `
  -- Takes the work of events, one after the other. \`calls\`: a list of \`BesideRow\` (beside-calls.ts). The answers are JSON.
  create function ${name}(calls json) returns text[]
  language plpgsql as $$
  declare
    c record;
    in_groups uuid[];
    in_lanes uuid[];
    is_own boolean;
    is_new boolean;
    left_ms float8;
    answer text;
    answers text[] := '{}';
  begin
    -- All rows are locked before the first is read, each kind in the order of its keys. A claim that is made for the lock has expired.
    insert into claims (key, until, mark)
    select distinct k::uuid, '-infinity'::timestamptz, 0 from json_array_elements(calls) as t (row), unnest(array[row ->> 'key', row ->> 'beside']) as u (k)
    where k is not null order by 1
    on conflict (key) do update set until = claims.until;
    select array_agg((t.row ->> 'group')::uuid), array_agg((t.row ->> 'lane')::uuid) into in_groups, in_lanes
    from json_array_elements(calls) as t (row);
    insert into groups (key) select distinct k from unnest(in_groups) as t (k) where k is not null order by k
    on conflict (key) do update set events = groups.events;
    perform lock_lanes_1(in_lanes);
    for c in
      select * from json_to_recordset(calls) as t (place int, key uuid, "holdMs" float8, "keptMs" float8, mark bigint, beside uuid,
        "besideMs" float8, run text, lane uuid, "laneLimit" int, refuses boolean, "group" uuid, event text,
        "windowMs" float8, "maxWaitMs" float8, keep text, prompt text, "promptChars" int${column},
        "afterClaim" boolean) order by place
    loop
      is_own := true;
      is_new := false;
      if c.beside is not null then
        insert into claims as held (key, until, mark) values (c.beside, clock() + c."besideMs" * interval '1 ms', c.mark)
        ${overExpired}
        returning held.repeats = 0 into is_new;
        is_own := found;
      end if;
      if not is_own then
        if exists (select 1 from claims where key = c.key and until > clock() and mark <> abs(c.mark)) then
          answer := '"duplicate"';
        elsif c.run is null and exists (select 1 from claims where key = c.beside and mark < 0) then
          answer := '"unsettled"';
        elsif c."afterClaim" then
          select extract(epoch from until - clock()) * 1000 into left_ms from claims where key = c.beside;
          answer := (join_1(array[c.key], array[c."holdMs"], array[c.mark], array[c."group"], array[split_part(c.run, '"', 4)], array[c.event],
            array[left_ms], array[c."besideMs"], array[c.keep], array[c.lane], array[c."laneLimit"], array[c.run], array[c.prompt],
            array[c."promptChars"]))[1];
        else
          insert into claims as held (key, until, mark) values (c.key, clock() + c."keptMs" * interval '1 ms', abs(c.mark))
          ${overExpired};
          answer := '"repeated"';
        end if;
      elsif c."group" is not null and c."afterClaim" is null then
        answer := (${join}(array[c.key], array[c."holdMs"], array[c.mark], array[c."group"], array[split_part(c.run, '"', 4)], array[c.event],
          array[c."windowMs"], array[c."maxWaitMs"], array[c.keep], array[c.lane], array[c."laneLimit"], array[c.run], array[c.prompt],
          array[c."promptChars"]${argument}))[1];
      elsif c.lane is not null then
        answer := '"' || (accept_in_lanes_1(array[c.key], array[c."holdMs"], array[c.mark], array[c.lane], array[c."laneLimit"],
          array[c.refuses], array[split_part(c.run, '"', 4)], array[c.run]))[1] || '"';
      else
        insert into claims as held (key, until, mark) values (c.key, clock() + c."holdMs" * interval '1 ms', c.mark)
        ${overExpired}
        returning case when c.run is null then '"claimed"' else '"accepted"' end into answer;
        if not found then
          answer := '"duplicate"';
        elsif c.run is not null and exists (select 1 from claims where key = c.key and repeats = 0) then
          insert into runs (event_id, made_at, due_at, run)
          select split_part(run, '"', 4), clock(), clock() + ${lowStep}, run from (select c.run) as t (run);
        end if;
      end if;
      if answer = '"duplicate"' and c.run is null and exists (select 1 from claims where key = c.key and mark < 0) then
        answer := '"unsettled"';
      end if;
      if is_new and answer in ('"duplicate"', '"unsettled"', '"busy"', '"full"') then
        delete from claims where key = c.beside;
      end if;
      answers := answers || answer;
    end loop;
    delete from groups where key = any (in_groups) and events = 0;
    delete from lanes where key = any (in_lanes) and open <= 0;
    return answers;
  end $$;
`

export const besideFunctions = acceptBeside('accept_beside_1', 'join_1')

/** The same for groups that end with a number of events. */
export const besideFullFunctions = acceptBeside('accept_beside_2', 'join_2', ', "maxEvents" int', ', array[c."maxEvents"]')
