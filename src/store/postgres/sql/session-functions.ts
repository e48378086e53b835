/** The SQL functions for sessions, sums and positions (lane-functions.ts says in which order they lock, and how they are replaced). */

import { maxMessageChars, maxMessages, maxPositions } from '../../bounds.ts'

export const sessionFunctions = `
  create function add_messages_1(to_session uuid, of_turn uuid, texts text[], lengths int[]) returns void
  language plpgsql as $$
  begin
    insert into messages (session, turn, chars, message)
    select to_session, of_turn, c, m from unnest(texts, lengths) with ordinality as t (m, c, place) order by place;
    delete from messages where session = to_session and n <= (
      select max(n) from (
        select n, sum(chars) over newest as total, row_number() over newest as place
        from messages where session = to_session window newest as (order by n desc)
      ) as counted where total > ${maxMessageChars} or place > ${maxMessages});
  end $$;

  -- Adds a turn to a session. is_new: there was no such session. is_added: the session did not have this turn.
  create function converse_1(
    to_session uuid, new_about text, of_profile uuid, of_route uuid, new_place text, new_place_key uuid, new_used bigint,
    of_turn uuid, texts text[], lengths int[], out is_new boolean, out is_added boolean
  )
  language plpgsql as $$
  begin
    is_new := not exists (select 1 from sessions where key = to_session);
    insert into sessions (key, about, profile, route, place, place_key, created_at, updated_at, used)
    values (to_session, new_about, of_profile, of_route, new_place, new_place_key, clock(), clock(), new_used)
    on conflict (key) do update set place = coalesce(excluded.place, sessions.place),
      place_key = coalesce(excluded.place_key, sessions.place_key), updated_at = excluded.updated_at, used = excluded.used;
    is_added := not exists (select 1 from messages where session = to_session and turn = of_turn);
    if is_added then
      perform add_messages_1(to_session, of_turn, texts, lengths);
    end if;
  end $$;

  -- Adds a message to the only session of a chat. Returns whether there was none, were several, or it was written.
  create function mirror_1(at_place uuid, new_message text, new_length int) returns text
  language plpgsql as $$
  declare
    found_sessions uuid[] := array(select key from sessions where place_key = at_place order by key limit 2 for update);
  begin
    if cardinality(found_sessions) <> 1 then
      return case cardinality(found_sessions) when 0 then 'none' else 'several' end;
    end if;
    update sessions set updated_at = clock(), used = nextval('uses') where key = found_sessions[1];
    perform add_messages_1(found_sessions[1], null, array[new_message], array[new_length]);
    return 'written';
  end $$;

  -- Adds to the sum of a window. is_new: no window was open.
  create function spend_1(
    of_key uuid, left_ms float8, add_tokens float8, add_cost float8, out is_new boolean, out all_tokens float8, out all_cost float8
  )
  language plpgsql as $$
  begin
    is_new := false;
    if add_tokens = 0 and add_cost = 0 then
      select tokens, cost into all_tokens, all_cost from sums where key = of_key and ends_at > clock();
    else
      is_new := not exists (select 1 from sums where key = of_key and ends_at > clock());
      insert into sums (key, ends_at, tokens, cost) values (of_key, clock() + left_ms * interval '1 ms', add_tokens, add_cost)
      on conflict (key) do update set
        tokens = excluded.tokens + case when sums.ends_at > clock() then sums.tokens else 0 end,
        cost = excluded.cost + case when sums.ends_at > clock() then sums.cost else 0 end,
        ends_at = case when sums.ends_at > clock() then sums.ends_at else excluded.ends_at end
      returning tokens, cost into all_tokens, all_cost;
    end if;
  end $$;

  -- Stores the next times of schedules, and forgets the schedules without a time.
  create function plan_1(keys uuid[], names text[], times float8[]) returns void
  language plpgsql as $$
  begin
    delete from plans using unnest(keys, times) as t (k, at) where plans.key = t.k and t.at is null;
    update plans set at = t.at from unnest(keys, times) as t (k, at) where plans.key = t.k;
    insert into plans (key, name, at)
    select k, name, at from unnest(keys, names, times) with ordinality as t (k, name, at, place)
    where at is not null and k not in (select key from plans)
    order by place limit ${maxPositions} - (select count(*) from plans)
    on conflict (key) do update set at = excluded.at;
  end $$;
`
