-- What a turn did and for how long, what a day cost, and the looks of administrators across people.

-- One row a turn: its spans, in the order in which they began, each [name, parent, start, duration, failed, attributes].
-- Read whole or not at all, so they are kept as text. No word of anyone's is in them.
create table traces (
  turn_id text primary key references turns on delete cascade,
  user_id text not null,
  spans json not null,
  at timestamptz not null default lanekeeper.now()
);
alter table traces enable row level security;
alter table traces force row level security;
create policy own_rows on traces to lanekeeper_accept, lanekeeper_stream, lanekeeper_worker, lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
create policy dispatch on traces to lanekeeper_dispatch using (true);
-- An insert that may meet a row of before has to see it.
grant select, insert on traces to lanekeeper_worker;
grant select (at), delete on traces to lanekeeper_dispatch;
-- Verdicts live as long as traces do.
create policy dispatch on verdicts to lanekeeper_dispatch using (true);
grant select (asked_at), delete on verdicts to lanekeeper_dispatch;

create index costs_by_time on costs (created_at);
create index limit_hits_by_time on limit_hits (at);
create index limit_hits_of_turn on limit_hits (turn_id);
create index model_requests_of_turn on model_requests (turn_id);
-- Whoever deletes a conversation deletes what was kept of its turns.
grant select (turn_id, user_id), delete on model_requests to lanekeeper_accept;
-- Nobody's where the limit is the environment's own.
alter table limit_hits alter column user_id drop not null;

-- What each day (UTC) has cost so far, as of its last check.
create table spend_days (
  day date primary key,
  micros bigint not null,
  checked_at timestamptz not null,
  over_at timestamptz
);
grant select, insert, update on spend_days to lanekeeper_dispatch;
grant select (user_id, micros, created_at) on costs to lanekeeper_dispatch;
grant select (user_id, kind, at), insert on limit_hits to lanekeeper_dispatch;
grant usage on sequence limit_hits_id_seq to lanekeeper_dispatch;
create policy dispatch on costs for select to lanekeeper_dispatch using (true);
create policy dispatch on limit_hits to lanekeeper_dispatch using (true) with check (true);
grant select on settings to lanekeeper_maintenance;

-- Add up the day and count, once a day each, that it or one person's share of it has passed its limit. 0: no limit.
create function lanekeeper.check_spend(day_micros bigint, person_micros bigint)
returns table (spent bigint, people_over bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  present timestamptz := lanekeeper.now();
  today date := (present at time zone 'UTC')::date;
  since timestamptz := today::timestamp at time zone 'UTC';
begin
  select coalesce(sum(c.micros), 0) into spent from public.costs c
  where c.created_at >= since and c.created_at < since + interval '1 day';
  insert into public.spend_days as s (day, micros, checked_at) values (today, spent, present)
  on conflict (day) do update set micros = excluded.micros, checked_at = excluded.checked_at;
  update public.spend_days s set over_at = present
  where s.day = today and s.over_at is null and day_micros > 0 and spent > day_micros;
  if found then
    insert into public.limit_hits (kind, at) values ('daily_spend', present);
  end if;
  with over as (
    select c.user_id from public.costs c
    where person_micros > 0 and c.created_at >= since and c.created_at < since + interval '1 day'
    group by c.user_id having sum(c.micros) > person_micros
  ), counted as (
    insert into public.limit_hits (user_id, kind, at)
    select o.user_id, 'person_spend', present from over o
    where not exists (
      select from public.limit_hits h where h.user_id = o.user_id and h.kind = 'person_spend' and h.at >= since)
  )
  select count(*) into people_over from over;
  return next;
end
$$;

-- Has anything been spent that the last check has not seen?
create function lanekeeper.spend_is_unchecked()
returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from public.costs c
    where c.created_at > coalesce((select s.checked_at from public.spend_days s order by s.day desc limit 1), '-infinity'))
$$;

create function lanekeeper.sweep_traces(older_than interval)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with gone as (delete from public.traces t where t.at < lanekeeper.now() - sweep_traces.older_than returning 1)
  select count(*) from gone
$$;

create function lanekeeper.sweep_verdicts(older_than interval)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with gone as (delete from public.verdicts v where v.asked_at < lanekeeper.now() - sweep_verdicts.older_than returning 1)
  select count(*) from gone
$$;

create or replace function lanekeeper.maintenance_is_due()
returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (select from public.lanes l where l.ready_at is not null and l.holder is not null and l.lease_until < lanekeeper.now())
      or exists (select from public.lanes l where l.holder is null and l.ready_at < lanekeeper.now() - interval '5 seconds')
      or exists (select from public.outbox o where o.state = 'new' and o.created_at < lanekeeper.now() - interval '5 seconds')
      or exists (select from lanekeeper.stray_lanes())
      or lanekeeper.spend_is_unchecked()
$$;

do $$
declare
  f record;
begin
  grant create on schema lanekeeper to lanekeeper_dispatch;
  for f in
    select p.oid::regprocedure as signature from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'lanekeeper' and p.proname in ('check_spend', 'spend_is_unchecked', 'sweep_traces', 'sweep_verdicts')
  loop
    execute format('alter function %s owner to lanekeeper_dispatch', f.signature);
    execute format('revoke all on function %s from public', f.signature);
    execute format('grant execute on function %s to lanekeeper_maintenance', f.signature);
  end loop;
  revoke create on schema lanekeeper from lanekeeper_dispatch;
end
$$;

-- Administrators look across people through the functions below and no other way. Each look leaves a row in the audit
-- log. Their owner never logs in, and reads no table of what anyone said but the kept requests of a sample of turns.
do $$
begin
  if not exists (select from pg_roles where rolname = 'lanekeeper_admin') then
    create role lanekeeper_admin nologin nosuperuser nocreatedb nocreaterole inherit;
  end if;
  execute format('grant lanekeeper_admin to %I', current_user);
end
$$;
grant usage on schema lanekeeper, public to lanekeeper_admin;
create policy admin on turns for select to lanekeeper_admin using (true);
create policy admin on inbox for select to lanekeeper_admin using (true);
create policy admin on costs for select to lanekeeper_admin using (true);
create policy admin on limit_hits for select to lanekeeper_admin using (true);
create policy admin on traces for select to lanekeeper_admin using (true);
create policy admin on verdicts for select to lanekeeper_admin using (true);
create policy admin on model_requests for select to lanekeeper_admin using (true);
grant select on turns, costs, limit_hits, traces, verdicts, model_requests to lanekeeper_admin;
grant select (id, user_id, conversation_id, turn_id, accepted_turn_id, kind, state, created_at) on inbox to lanekeeper_admin;
grant insert on audit_log to lanekeeper_admin;
grant usage on sequence audit_log_id_seq to lanekeeper_admin;

-- A person as logs and traces name them.
create function lanekeeper.hashed(user_id text) returns text
language sql immutable parallel safe
as $$ select left(encode(sha256(convert_to('lanekeeper:' || user_id, 'UTF8')), 'hex'), 16) $$;

-- Everything about a turn but what was said; null when there is no such turn. The id of a turn that was folded into
-- another tells that one's story.
create function lanekeeper.admin_turn(actor text, id text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  turn public.turns;
begin
  insert into public.audit_log (actor, action, detail) values (actor, 'read turn', jsonb_build_object('turn', id));
  select t.* into turn from public.turns t
  where t.id = coalesce((select i.turn_id from public.inbox i where i.accepted_turn_id = admin_turn.id), admin_turn.id);
  if not found then
    return null;
  end if;
  return (to_jsonb(turn) - 'user_id' - 'reply_id') || jsonb_build_object(
    'user', lanekeeper.hashed(turn.user_id),
    'messages', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', i.kind, 'state', i.state, 'at', i.created_at,
               'turn_id', i.accepted_turn_id) order by i.id), '[]')
      from public.inbox i where i.user_id = turn.user_id and i.conversation_id = turn.conversation_id and i.turn_id = turn.id),
    'costs', (
      select coalesce(jsonb_agg(jsonb_build_object('feature', c.feature, 'model', c.model, 'status', c.status,
               'micros', c.micros, 'input_tokens', c.input_tokens, 'cached_tokens', c.cached_tokens,
               'output_tokens', c.output_tokens, 'at', c.created_at) order by c.id), '[]')
      from public.costs c
      where c.user_id = turn.user_id and c.created_at >= turn.accepted_at and c.turn_id = turn.id),
    'limits', (
      select coalesce(jsonb_agg(jsonb_build_object('kind', h.kind, 'at', h.at) order by h.id), '[]')
      from public.limit_hits h where h.turn_id = turn.id),
    'verdicts', (
      select jsonb_build_object('source', v.source, 'scores', v.scores, 'took_ms', v.took_ms, 'asked_at', v.asked_at)
      from public.verdicts v where v.turn_id = turn.id),
    'trace', (
      select jsonb_build_object('spans', s.spans) from public.traces s where s.turn_id = turn.id));
end
$$;

-- The exact requests of a turn, where they were kept.
create function lanekeeper.admin_requests(actor text, id text) returns table (at timestamptz, body jsonb)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.audit_log (actor, action, detail) values (actor, 'read requests', jsonb_build_object('turn', id));
  return query select r.at, r.body from public.model_requests r where r.turn_id = admin_requests.id order by r.id;
end
$$;

-- Turns, newest first: their ids begin with the time.
create function lanekeeper.admin_turns(actor text, before text, at_most int)
returns table (id text, user_hash text, state text, attempt int, agent_id text, model_id text, prompt_version text,
               failure text, accepted_at timestamptz, finished_at timestamptz, timings jsonb, micros bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.audit_log (actor, action) values (actor, 'list turns');
  return query
    select t.id, lanekeeper.hashed(t.user_id), t.state, t.attempt, t.agent_id, t.model_id, t.prompt_version, t.failure,
           t.accepted_at, t.finished_at, t.timings,
           (select coalesce(sum(c.micros), 0)::bigint from public.costs c
            where c.user_id = t.user_id and c.created_at >= t.accepted_at and c.turn_id = t.id)
    from public.turns t
    where admin_turns.before is null or t.id < admin_turns.before
    order by t.id desc
    limit at_most;
end
$$;

-- What was paid, by day (UTC), feature and model.
create function lanekeeper.admin_costs(actor text, since timestamptz, until timestamptz)
returns table (day date, feature text, model text, calls bigint, failed bigint, estimated bigint, micros bigint,
               input_tokens bigint, cached_tokens bigint, output_tokens bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'read costs', jsonb_build_object('from', since, 'to', until));
  return query
    select (c.created_at at time zone 'UTC')::date, c.feature, c.model, count(*),
           count(*) filter (where c.status = 'failed'), count(*) filter (where c.status = 'estimated'),
           sum(c.micros)::bigint, sum(c.input_tokens)::bigint, sum(c.cached_tokens)::bigint, sum(c.output_tokens)::bigint
    from public.costs c
    where c.created_at >= since and c.created_at < until
    group by 1, 2, 3
    order by 1 desc, 7 desc, 2, 3;
end
$$;

-- Who cost most.
create function lanekeeper.admin_spenders(actor text, since timestamptz, until timestamptz, at_most int)
returns table (user_hash text, calls bigint, micros bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'read spenders', jsonb_build_object('from', since, 'to', until));
  return query
    select lanekeeper.hashed(c.user_id), count(*), sum(c.micros)::bigint
    from public.costs c
    where c.created_at >= since and c.created_at < until
    group by c.user_id
    order by 3 desc, 1
    limit at_most;
end
$$;

-- Which limits were met, by day (UTC) and kind.
create function lanekeeper.admin_limits(actor text, since timestamptz, until timestamptz)
returns table (day date, kind text, hits bigint, people bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'read limits', jsonb_build_object('from', since, 'to', until));
  return query
    select (h.at at time zone 'UTC')::date, h.kind, count(*), count(distinct h.user_id)
    from public.limit_hits h
    where h.at >= since and h.at < until
    group by 1, 2
    order by 1 desc, 3 desc, 2;
end
$$;

do $$
declare
  f record;
begin
  grant create on schema lanekeeper to lanekeeper_admin;
  for f in
    select p.oid::regprocedure as signature from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'lanekeeper' and p.proname like 'admin\_%'
  loop
    execute format('alter function %s owner to lanekeeper_admin', f.signature);
    execute format('revoke all on function %s from public', f.signature);
    execute format('grant execute on function %s to lanekeeper_accept', f.signature);
  end loop;
  revoke create on schema lanekeeper from lanekeeper_admin;
end
$$;
