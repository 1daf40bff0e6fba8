-- Mends to what came before: limits that are counted once, days that are closed, files that are gone for good, and
-- turns that can be searched for.

-- Whoever writes a limit that was met names it by a key of its own, since it may have to be written twice.
alter table limit_hits add column once text unique;

-- Add up each day that has cost something since the last check, today last, and count once a day each that it or one
-- person's share of it has passed its limit. 0: no limit. What was paid after a day's last check, or was settled
-- minutes later, is found by the first check of the next one: so the day is closed.
drop function lanekeeper.check_spend(bigint, bigint);
create function lanekeeper.check_spend(day_micros bigint, person_micros bigint)
returns table (day date, spent bigint, people_over bigint, newly_over boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  present timestamptz := lanekeeper.now();
  today date := (present at time zone 'UTC')::date;
  open_since timestamptz := coalesce(
    (select s.checked_at - interval '10 minutes' from public.spend_days s order by s.day desc limit 1),
    present - interval '1 day');
  since timestamptz;
  until timestamptz;
begin
  for day in
    select (c.created_at at time zone 'UTC')::date from public.costs c
    where c.created_at >= date_trunc('day', open_since, 'UTC') and c.created_at < date_trunc('day', present, 'UTC')
    union select today
    order by 1
  loop
    since := day::timestamp at time zone 'UTC';
    until := since + interval '1 day';
    select coalesce(sum(c.micros), 0) into spent from public.costs c
    where c.created_at >= since and c.created_at < until;
    insert into public.spend_days as s (day, micros, checked_at) values (check_spend.day, spent, present)
    on conflict on constraint spend_days_pkey do update set micros = excluded.micros, checked_at = excluded.checked_at;
    update public.spend_days s set over_at = present
    where s.day = check_spend.day and s.over_at is null and day_micros > 0 and spent > day_micros;
    newly_over := found;
    if newly_over then
      insert into public.limit_hits (kind, at) values ('daily_spend', least(present, until - interval '1 microsecond'));
    end if;
    with over as (
      select c.user_id from public.costs c
      where person_micros > 0 and c.created_at >= since and c.created_at < until
      group by c.user_id having sum(c.micros) > person_micros
    ), counted as (
      insert into public.limit_hits (user_id, kind, at)
      select o.user_id, 'person_spend', least(present, until - interval '1 microsecond') from over o
      where not exists (
        select from public.limit_hits h
        where h.user_id = o.user_id and h.kind = 'person_spend' and h.at >= since and h.at < until)
    )
    select count(*) into people_over from over;
    return next;
  end loop;
end
$$;
grant create on schema lanekeeper to lanekeeper_dispatch;
alter function lanekeeper.check_spend(bigint, bigint) owner to lanekeeper_dispatch;
revoke all on function lanekeeper.check_spend(bigint, bigint) from public;
grant execute on function lanekeeper.check_spend(bigint, bigint) to lanekeeper_maintenance;
revoke create on schema lanekeeper from lanekeeper_dispatch;

-- What was kept as long as the privacy notice says is gone, with its name, what was said of it and its place on the lane.
-- A message that it went along with still names it.
drop index uploads_expiring;
create index uploads_expiring on uploads (expires_at);
grant delete on uploads to lanekeeper_dispatch;
revoke update (state, content, text), select (state) on uploads from lanekeeper_dispatch;
create or replace function lanekeeper.sweep_uploads()
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with gone as (delete from public.uploads u where u.expires_at <= lanekeeper.now() returning 1)
  select count(*) from gone
$$;
-- Of a deleted conversation's files those stay that went along with a message of another one.
create index messages_with_files on messages (user_id) where parts @> '[{"type": "file"}]';

-- Turns, newest first: all of them, or those in a state, of a person by the hash that logs have, with a failure.
drop function lanekeeper.admin_turns(text, text, int);
create function lanekeeper.admin_turns(
  actor text, before text, at_most int, in_state text, of_user text, with_failure text)
returns table (id text, user_hash text, state text, attempt int, agent_id text, model_id text, prompt_version text,
               failure text, accepted_at timestamptz, finished_at timestamptz, timings jsonb, micros bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'list turns', jsonb_strip_nulls(
    jsonb_build_object('state', in_state, 'user', of_user, 'failure', with_failure)));
  return query
    select t.id, lanekeeper.hashed(t.user_id), t.state, t.attempt, t.agent_id, t.model_id, t.prompt_version, t.failure,
           t.accepted_at, t.finished_at, t.timings,
           (select coalesce(sum(c.micros), 0)::bigint from public.costs c
            where c.user_id = t.user_id and c.created_at >= t.accepted_at and c.turn_id = t.id)
    from public.turns t
    where (admin_turns.before is null or t.id < admin_turns.before)
      and (in_state is null or t.state = in_state)
      and (of_user is null or lanekeeper.hashed(t.user_id) = of_user)
      and (with_failure is null or t.failure = with_failure)
    order by t.id desc
    limit at_most;
end
$$;
create index turns_by_hash on turns (lanekeeper.hashed(user_id), id);
create index turns_with_failure on turns (failure, id) where failure is not null;
grant create on schema lanekeeper to lanekeeper_admin;
alter function lanekeeper.admin_turns(text, text, int, text, text, text) owner to lanekeeper_admin;
revoke all on function lanekeeper.admin_turns(text, text, int, text, text, text) from public;
grant execute on function lanekeeper.admin_turns(text, text, int, text, text, text) to lanekeeper_accept;
revoke create on schema lanekeeper from lanekeeper_admin;
