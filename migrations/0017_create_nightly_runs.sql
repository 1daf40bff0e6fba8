-- The nightly pass over everyone who wrote something that no note writer has read, each once their own day has ended.

-- night: the day that ended. One row a night, added up over all its runs.
create table nightly_runs (
  night date primary key,
  covered int not null default 0,
  skipped int not null default 0,
  failed int not null default 0,
  began_at timestamptz not null default lanekeeper.now(),
  ran_at timestamptz not null default lanekeeper.now()
);

-- When the last run was, and when it last removed what had been kept long enough.
create table nightly_clock (
  one boolean primary key default true check (one),
  ran_at timestamptz,
  swept_at timestamptz
);
insert into nightly_clock default values;

-- Files of requests that the gateway works off. id: our own name for it, by which the gateway finds it again.
-- building: being filled, or begun without our knowing the gateway's name for it. read: all its answers have been dealt with.
create table batches (
  id text primary key,
  gateway_id text,
  file_id text,
  model text not null,
  state text not null default 'building' check (state in ('building', 'sent', 'read', 'lost')),
  made_at timestamptz not null default lanekeeper.now(),
  sent_at timestamptz,
  claimed_until timestamptz
);
create index batches_open on batches (made_at) where state in ('building', 'sent');

-- Whose turn it is, in which night. waiting: not asked about yet. sent: in a batch. The rest is what came of it.
-- skipped: no usable answer came. failed: no answer came. tries: since they were put down. attempts: how often they were put
-- down again.
create table nightly_people (
  night date not null,
  user_id text not null references users on delete cascade,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'covered', 'skipped', 'failed')),
  batch_id text references batches on delete set null,
  tries int not null default 0,
  attempts int not null default 0,
  reason text,
  claimed_until timestamptz,
  settled_at timestamptz,
  primary key (night, user_id)
) with (fillfactor = 70);
create index nightly_people_waiting on nightly_people (night, user_id) where state = 'waiting';
create index nightly_people_of_person on nightly_people (user_id);
create index nightly_people_of_batch on nightly_people (batch_id) where batch_id is not null;

-- The lines of a batch: each asks about one stretch of one conversation, from after one place of it to another.
create table batch_lines (
  id text primary key,
  batch_id text not null references batches on delete cascade,
  user_id text not null references users on delete cascade,
  conversation_id text not null references conversations on delete cascade,
  after_position int not null,
  until_position int not null,
  -- Whether there was nothing more to read behind it.
  whole boolean not null,
  input_tokens int not null default 0
);
create index batch_lines_of_batch on batch_lines (batch_id);
create index batch_lines_of_person on batch_lines (user_id);
create index batch_lines_of_conversation on batch_lines (conversation_id);

alter table nightly_people enable row level security;
alter table nightly_people force row level security;
alter table batch_lines enable row level security;
alter table batch_lines force row level security;
create policy own_rows on nightly_people to lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
create policy own_rows on batch_lines to lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
create policy dispatch on nightly_people to lanekeeper_dispatch using (true) with check (true);
create policy dispatch on batch_lines for select to lanekeeper_dispatch using (true);
create policy dispatch on users for select to lanekeeper_dispatch using (true);
create policy dispatch on conversations for select to lanekeeper_dispatch using (true);
create policy dispatch on messages for select to lanekeeper_dispatch using (true);
create policy dispatch on note_progress for select to lanekeeper_dispatch using (true);
grant select, update on nightly_people to lanekeeper_maintenance;
grant select, insert, delete on batch_lines to lanekeeper_maintenance;
grant select, insert, update, delete on batches to lanekeeper_maintenance;
grant select, insert, update on nightly_runs, nightly_clock to lanekeeper_maintenance;
grant select, insert, update, delete on nightly_people to lanekeeper_dispatch;
grant select on nightly_clock, batch_lines to lanekeeper_dispatch;
grant select, update on nightly_runs to lanekeeper_dispatch;
grant select on batches to lanekeeper_dispatch;
-- Who wrote when and where, never what.
grant select (id, timezone) on users to lanekeeper_dispatch;
grant select (id, user_id, updated_at) on conversations to lanekeeper_dispatch;
grant select (conversation_id, role, position, forgotten, created_at) on messages to lanekeeper_dispatch;
grant select (conversation_id, position, read_at) on note_progress to lanekeeper_dispatch;

-- Everyone whose turn it is, with the night: the newest of their days that has ended and on which they wrote something
-- that nobody has read. A zone that does not exist is UTC. open_days: days that have not ended count as well.
-- Who is being asked about already waits for what comes of that. Who was dealt with comes back with something new, and
-- with what is unread all the same after a while, twice as long each time; at once when someone asks for open days by hand.
create function lanekeeper.nightly_due(open_days boolean, retry interval, attempts int)
returns table (user_id text, night date)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with zones as materialized (
    select lower(z.name) as folded, z.name from pg_timezone_names z
  ), unread as materialized (
    select c.user_id, m.created_at
    from public.conversations c
    left join public.note_progress p on p.conversation_id = c.id
    cross join lateral (
      select m.created_at from public.messages m
      where m.conversation_id = c.id and m.position > coalesce(p.position, 0) and m.role = 'user' and not m.forgotten
      -- Conversation by conversation, never all messages there are.
      offset 0) m
    -- What has not changed since it was read has nothing new. Two days more: an answer from a batch is kept long after
    -- its messages were sent, and does not speak of those that came meanwhile.
    where p.read_at is null or c.updated_at > p.read_at - interval '2 days'
  ), ended as (
    select u.user_id, max((u.created_at at time zone h.zone)::date) as night, max(u.created_at) as last_at
    from (select u.*, s.timezone from unread u join public.users s on s.id = u.user_id) u
    left join zones z on z.folded = lower(u.timezone)
    cross join lateral (select coalesce(z.name, 'UTC') as zone) h
    where nightly_due.open_days
       or (u.created_at at time zone h.zone)::date < (lanekeeper.now() at time zone h.zone)::date
    group by u.user_id
  )
  select e.user_id, e.night
  from ended e
  left join public.nightly_people n on n.night = e.night and n.user_id = e.user_id
  where not exists (
      select from public.nightly_people o where o.user_id = e.user_id and o.state in ('waiting', 'sent'))
    and (n.state is null
         or nightly_due.open_days
         or e.last_at > n.settled_at
         or (n.attempts < nightly_due.attempts and n.settled_at < lanekeeper.now() - nightly_due.retry * 2 ^ n.attempts))
$$;

-- Put everyone down whose turn it is; how many they are. Who comes back to a night is no longer counted in it.
create function lanekeeper.enqueue_nightly(open_days boolean, retry interval, attempts int)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with due as materialized (
    select d.night, d.user_id, n.state as before
    from lanekeeper.nightly_due(open_days, retry, enqueue_nightly.attempts) d
    left join public.nightly_people n on n.night = d.night and n.user_id = d.user_id
  ), put as (
    insert into public.nightly_people as n (night, user_id)
    select due.night, due.user_id from due
    on conflict (night, user_id) do update
      set state = 'waiting', batch_id = null, tries = 0, claimed_until = null, attempts = n.attempts + 1
      where n.state not in ('waiting', 'sent')
    returning n.night, n.user_id
  ), back as (
    select due.night, count(*) filter (where due.before = 'covered') as covered,
           count(*) filter (where due.before = 'skipped') as skipped, count(*) filter (where due.before = 'failed') as failed
    from due join put on put.night = due.night and put.user_id = due.user_id
    where due.before is not null
    group by due.night
  ), taken_back as (
    update public.nightly_runs r
    set covered = r.covered - b.covered, skipped = r.skipped - b.skipped, failed = r.failed - b.failed
    from back b where b.night = r.night
  )
  select count(*) from put
$$;

-- Take people who wait, the oldest nights first. Whoever died over them leaves them to the next when the lease is over;
-- one that ends in more than a day was made before the clock was set back.
create function lanekeeper.claim_nightly(at_most int, lease interval)
returns table (night date, user_id text, tries int)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  update public.nightly_people n
  set claimed_until = lanekeeper.now() + claim_nightly.lease
  from (
    select w.night, w.user_id from public.nightly_people w
    where w.state = 'waiting'
      and (w.claimed_until is null or w.claimed_until < lanekeeper.now()
           or w.claimed_until > lanekeeper.now() + interval '1 day')
    order by w.night, w.user_id
    limit claim_nightly.at_most
    for update skip locked) free
  where n.night = free.night and n.user_id = free.user_id
  returning n.night, n.user_id, n.tries
$$;

-- Let everybody wait again whose batch came to nothing.
create function lanekeeper.release_batch(batch text)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with released as (
    update public.nightly_people n set state = 'waiting', batch_id = null, claimed_until = null
    where n.batch_id = release_batch.batch and n.state = 'sent'
    returning 1)
  select count(*) from released
$$;

-- Who is in a batch and still waits for what comes of it.
create function lanekeeper.people_of_batch(batch text)
returns table (night date, user_id text, tries int)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select n.night, n.user_id, n.tries from public.nightly_people n
  where n.batch_id = people_of_batch.batch and n.state = 'sent'
  order by n.user_id
$$;

-- Does anybody wait to be taken?
create function lanekeeper.nightly_waiting()
returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from public.nightly_people n
    where n.state = 'waiting'
      and (n.claimed_until is null or n.claimed_until < lanekeeper.now()
           or n.claimed_until > lanekeeper.now() + interval '1 day'))
$$;

create function lanekeeper.sweep_nights(older_than interval)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with gone as (
    delete from public.nightly_people n
    where n.state not in ('waiting', 'sent') and n.settled_at < lanekeeper.now() - sweep_nights.older_than
    returning 1)
  select count(*) from gone
$$;

-- Is there anything to do at night? Asked once an hour: somebody's turn, people left over, or old rows to remove.
create function lanekeeper.nightly_is_due(retry interval, attempts int, sweeps interval)
returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select coalesce((select c.swept_at < lanekeeper.now() - sweeps or c.swept_at > lanekeeper.now() from public.nightly_clock c), true)
      or lanekeeper.nightly_waiting()
      or exists (select from lanekeeper.nightly_due(false, retry, nightly_is_due.attempts))
$$;

do $$
declare
  f record;
begin
  grant create on schema lanekeeper to lanekeeper_dispatch;
  for f in
    select p.oid::regprocedure as signature from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'lanekeeper' and p.proname in (
      'nightly_due', 'enqueue_nightly', 'claim_nightly', 'release_batch', 'people_of_batch', 'nightly_waiting',
      'sweep_nights', 'nightly_is_due')
  loop
    execute format('alter function %s owner to lanekeeper_dispatch', f.signature);
    execute format('revoke all on function %s from public', f.signature);
    execute format('grant execute on function %s to lanekeeper_maintenance', f.signature);
  end loop;
  revoke create on schema lanekeeper from lanekeeper_dispatch;
  execute format('grant execute on function lanekeeper.nightly_is_due(interval, int, interval) to %I', current_user);
end
$$;

-- open_days: what someone asks for by hand is done in any case, and days that have not ended count as well.
drop function lanekeeper.start_maintenance(text);
create function lanekeeper.start_maintenance(job text, open_days boolean default false) returns boolean
language plpgsql
as $$
declare
  target jsonb := (select s.value from settings s where s.key = 'maintenance');
begin
  if target is null
     or (job = 'tick' and not lanekeeper.maintenance_is_due())
     or (job = 'nightly' and not open_days
         and not lanekeeper.nightly_is_due(interval '1 hour', 7, interval '20 hours')) then
    return false;
  end if;
  perform aws_lambda.invoke(
    function_name => target ->> 'function',
    payload => (jsonb_build_object('job', job)
                || case when open_days then jsonb_build_object('open_days', true) else '{}' end)::json,
    region => target ->> 'region',
    invocation_type => 'Event');
  return true;
end
$$;
revoke all on function lanekeeper.start_maintenance(text, boolean) from public;

-- Somewhere a day ends each hour.
select cron.schedule('lanekeeper-nightly', '0 * * * *', $$select lanekeeper.start_maintenance('nightly')$$);

-- Nights, the newest first, with how many people are still being dealt with, and when the last run began.
create function lanekeeper.admin_nights(actor text, since date, until date)
returns table (night date, covered int, skipped int, failed int, open int, ran_at timestamptz, last_run_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.audit_log (actor, action, detail)
  values (actor, 'read nights', jsonb_build_object('from', since, 'to', until));
  return query
    select r.night, r.covered, r.skipped, r.failed,
           (select count(*)::int from public.nightly_people n where n.night = r.night and n.state in ('waiting', 'sent')),
           r.ran_at, (select c.ran_at from public.nightly_clock c)
    from public.nightly_runs r
    where r.night between since and until
    order by r.night desc;
end
$$;

create policy admin on nightly_people for select to lanekeeper_admin using (true);
grant select on nightly_runs, nightly_clock to lanekeeper_admin;
grant select (night, state) on nightly_people to lanekeeper_admin;
grant create on schema lanekeeper to lanekeeper_admin;
alter function lanekeeper.admin_nights(text, date, date) owner to lanekeeper_admin;
revoke all on function lanekeeper.admin_nights(text, date, date) from public;
grant execute on function lanekeeper.admin_nights(text, date, date) to lanekeeper_accept;
revoke create on schema lanekeeper from lanekeeper_admin;
