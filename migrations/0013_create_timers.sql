-- What is to happen later without anyone asking for it: one row a thing and kind, moved whenever its time moves.

-- key: what the timer is for, a conversation's id or a job's. user_id: whose it is; nobody's where a job serves many.
-- A person's timers go with their conversations. moves: counts how often its time was set anew, so that whoever acted on
-- it knows whether it was set again meanwhile. attempts: how often it was claimed since it was last done or moved.
-- claimed_until: a tick is at it; when that passes the tick has died and another takes the timer.
create table timers (
  kind text not null,
  key text not null,
  user_id text,
  conversation_id text references conversations on delete cascade,
  run_at timestamptz not null,
  moves int not null default 0,
  attempts int not null default 0,
  claimed_until timestamptz,
  primary key (kind, key)
) with (fillfactor = 80);
create index timers_due on timers (run_at);
-- These a person may be waiting for: they are found without a look at the rest.
create index timers_pressing on timers (run_at) where kind = 'compaction';
create index timers_of_conversation on timers (conversation_id);

alter table timers enable row level security;
alter table timers force row level security;
create policy own_rows on timers to lanekeeper_accept, lanekeeper_worker, lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
create policy nobodys on timers to lanekeeper_maintenance using (user_id is null) with check (user_id is null);
create policy dispatch on timers to lanekeeper_dispatch using (true) with check (true);
grant select, insert, update on timers to lanekeeper_accept, lanekeeper_worker;
grant select, insert, update, delete on timers to lanekeeper_maintenance;
grant select, update on timers to lanekeeper_dispatch;

-- How many tokens the next request of a conversation will have, about: 0 until it is worth knowing.
alter table conversations add column fill_tokens int not null default 0;
-- How many tokens a message is, about.
alter table inbox add column tokens int not null default 0;
create index inbox_waiting on inbox (user_id, conversation_id) where state = 'waiting';
grant select (conversation_id) on inbox to lanekeeper_dispatch;
grant select on inbox, conversations to lanekeeper_maintenance;
grant update (state) on inbox to lanekeeper_maintenance;
grant update (fill_tokens) on conversations to lanekeeper_maintenance;
grant insert on limit_hits to lanekeeper_maintenance;
-- Whoever waits for a summary is told so, in the language of the conversation.
create policy told on verdicts for select to lanekeeper_stream using (user_id = (select lanekeeper.person()));
grant select (turn_id, user_id, scores) on verdicts to lanekeeper_stream;

-- Whether a timer that is due may be acted on now. A claim lasts minutes: one that ends in more than an hour was made
-- before the clock was set back. What is done once a person is quiet waits while a message of theirs is open.
create function lanekeeper.is_free(timer public.timers) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select (timer.claimed_until is null or timer.claimed_until < lanekeeper.now()
          or timer.claimed_until > lanekeeper.now() + interval '1 hour')
     and (timer.kind not in ('idle_save', 'idle_compaction') or not exists (
       select from public.inbox i where i.user_id = timer.user_id and i.state in ('new', 'running')))
$$;

-- Claim one timer that is due: first what a person may be waiting for, then what has been due longest.
create function lanekeeper.claim_timer(lease interval)
returns table (kind text, key text, user_id text, conversation_id text, moves int, attempts int, run_at timestamptz)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with pressing as (
    select t.kind, t.key from public.timers t
    where t.kind = 'compaction' and t.run_at <= lanekeeper.now() and lanekeeper.is_free(t)
    order by t.run_at
    limit 1
    for update skip locked
  ), other as (
    select t.kind, t.key from public.timers t
    where not exists (select from pressing) and t.run_at <= lanekeeper.now() and lanekeeper.is_free(t)
    order by t.run_at
    limit 1
    for update skip locked
  )
  update public.timers t
  set claimed_until = lanekeeper.now() + claim_timer.lease, attempts = t.attempts + 1
  from (select * from pressing union all select * from other) due
  where t.kind = due.kind and t.key = due.key
  returning t.kind, t.key, t.user_id, t.conversation_id, t.moves, t.attempts, t.run_at
$$;

-- Conversations with a message that waits for a summary that nobody is to make: they should not exist.
create function lanekeeper.stray_waiting()
returns table (user_id text, conversation_id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select distinct i.user_id, i.conversation_id from public.inbox i
  where i.state = 'waiting'
    and not exists (select from public.timers t where t.kind = 'compaction' and t.key = i.conversation_id)
  limit 1000
$$;

create function lanekeeper.timers_are_due()
returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (select from public.timers t where t.run_at <= lanekeeper.now() and lanekeeper.is_free(t))
      or exists (select from lanekeeper.stray_waiting())
$$;

create or replace function lanekeeper.maintenance_is_due()
returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (select from public.lanes l where l.ready_at is not null and l.holder is not null and l.lease_until < lanekeeper.now())
      or exists (select from public.lanes l where l.holder is null and l.ready_at < lanekeeper.now() - interval '5 seconds')
      or exists (select from public.outbox o where o.state = 'new' and o.created_at < lanekeeper.now() - interval '5 seconds')
      or exists (select from lanekeeper.stray_lanes())
      or lanekeeper.timers_are_due()
      or lanekeeper.spend_is_unchecked()
$$;

do $$
declare
  f record;
begin
  grant create on schema lanekeeper to lanekeeper_dispatch;
  for f in
    select p.oid::regprocedure as signature from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'lanekeeper' and p.proname in ('claim_timer', 'stray_waiting', 'timers_are_due')
  loop
    execute format('alter function %s owner to lanekeeper_dispatch', f.signature);
    execute format('revoke all on function %s from public', f.signature);
    execute format('grant execute on function %s to lanekeeper_maintenance', f.signature);
  end loop;
  revoke create on schema lanekeeper from lanekeeper_dispatch;
end
$$;
