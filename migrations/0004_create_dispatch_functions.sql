-- What must look across people: who waits, whose holder has died, what was not delivered. These functions are
-- owned by the dispatch role, hand back ids only, and are the only way across for accept, worker and maintenance.

-- Take the lane that has waited longest and that nobody holds. The caller then takes the lane lock and reads
-- the inbox in statements of their own: a new snapshot sees what committed meanwhile.
create function lanekeeper.claim_lane(holder text, lease interval)
returns table (user_id text, epoch bigint)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  update public.lanes l
  set holder = claim_lane.holder, epoch = l.epoch + 1, lease_until = lanekeeper.now() + claim_lane.lease,
      turn_id = null
  where l.user_id = (
    select w.user_id from public.lanes w
    where w.ready_at is not null and w.ready_at <= lanekeeper.now() and w.holder is null
    order by w.ready_at
    limit 1
    for update skip locked)
  returning l.user_id, l.epoch
$$;

-- The fence. Whoever writes for a lane says which count of its holders it is; when that is over, the whole transaction
-- fails with LK001. The row stays key-share-locked: the lane cannot be taken away before the transaction ends, since
-- whoever takes it locks the row for update, but an acceptance need not wait for a worker that was frozen in mid-write.
-- Answers with the turn that the person wants stopped.
create function lanekeeper.hold_lane(user_id text, epoch bigint) returns text
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  stop text;
begin
  select l.stop_turn_id into stop from public.lanes l
  where l.user_id = hold_lane.user_id and l.epoch = hold_lane.epoch
  for key share;
  if not found then
    raise exception 'the lane is held by another' using errcode = 'LK001';
  end if;
  return stop;
end
$$;

-- Lanes whose holder gave no sign of life in time; also after the clock was set back.
create function lanekeeper.lapsed_lanes(lease interval)
returns table (user_id text, epoch bigint, holder text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select l.user_id, l.epoch, l.holder from public.lanes l
  where l.ready_at is not null and l.holder is not null
    and (l.lease_until < lanekeeper.now() or l.lease_until > lanekeeper.now() + 2 * lapsed_lanes.lease)
  order by l.lease_until
$$;

-- People with a reply that is written but not delivered, while nobody works on their lane.
create function lanekeeper.undelivered(older_than interval)
returns table (user_id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select distinct o.user_id from public.outbox o
  where o.state = 'new' and o.created_at < lanekeeper.now() - undelivered.older_than
  limit 1000
$$;

-- How many lanes have waited unclaimed for longer than this.
create function lanekeeper.waiting_lanes(older_than interval)
returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select count(*) from public.lanes l
  where l.holder is null and l.ready_at < lanekeeper.now() - waiting_lanes.older_than
$$;

-- Inbox rows that wait although their lane does not know: they should not exist, and are put back when they do.
create function lanekeeper.stray_lanes()
returns table (user_id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select distinct i.user_id from public.inbox i join public.lanes l on l.user_id = i.user_id
  where i.state in ('new', 'running') and l.holder is null and l.ready_at is null
    and i.created_at < lanekeeper.now() - interval '10 seconds'
  limit 1000
$$;

-- Chunks of turns that ended long ago: from then on a replay is made from the transcript.
create function lanekeeper.sweep_chunks(older_than interval)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with gone as (
    delete from public.reply_chunks c using public.turns t
    where t.id = c.turn_id and t.state in ('done', 'failed', 'stopped')
      and t.finished_at < lanekeeper.now() - sweep_chunks.older_than
      and not exists (select from public.outbox o where o.user_id = t.user_id and o.state = 'new')
    returning 1)
  select count(*) from gone
$$;

create function lanekeeper.sweep_requests(older_than interval)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with gone as (delete from public.model_requests r where r.at < lanekeeper.now() - sweep_requests.older_than returning 1)
  select count(*) from gone
$$;

create function lanekeeper.sweep_keys(older_than interval)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with gone as (delete from public.spent_keys k where k.spent_at < lanekeeper.now() - sweep_keys.older_than returning 1)
  select count(*) from gone
$$;

-- Is there anything for the maintenance function to do? Asked once a minute by pg_cron, so it must stay cheap.
create function lanekeeper.maintenance_is_due()
returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (select from public.lanes l where l.ready_at is not null and l.holder is not null and l.lease_until < lanekeeper.now())
      or exists (select from public.lanes l where l.holder is null and l.ready_at < lanekeeper.now() - interval '5 seconds')
      or exists (select from public.outbox o where o.state = 'new' and o.created_at < lanekeeper.now() - interval '5 seconds')
      or exists (select from lanekeeper.stray_lanes())
$$;

do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as signature from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'lanekeeper' and p.prosecdef
  loop
    execute format('alter function %s owner to lanekeeper_dispatch', f.signature);
    execute format('revoke all on function %s from public', f.signature);
    if f.signature::text not like '%claim_lane%' then
      execute format('grant execute on function %s to lanekeeper_maintenance', f.signature);
    end if;
  end loop;
end
$$;
grant execute on function lanekeeper.claim_lane(text, interval) to lanekeeper_worker;
revoke create on schema lanekeeper from lanekeeper_dispatch;

-- End every connection of a holder that gave no sign of life: its lane lock falls, what it had begun is undone.
-- A worker's own role may end a worker's connections, and nobody else's. Whoever migrates is one of it for this moment.
create function lanekeeper.end_connections(holder text)
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select count(*) filter (where pg_terminate_backend(a.pid)) from pg_catalog.pg_stat_activity a
  where a.application_name = end_connections.holder and a.usename = 'lanekeeper_worker'
$$;

do $$
begin
  execute format('grant lanekeeper_worker to %I', current_user);
  grant create on schema lanekeeper to lanekeeper_worker;
  revoke all on function lanekeeper.end_connections(text) from public;
  grant execute on function lanekeeper.end_connections(text) to lanekeeper_maintenance;
  alter function lanekeeper.end_connections(text) owner to lanekeeper_worker;
  revoke create on schema lanekeeper from lanekeeper_worker;
  execute format('revoke lanekeeper_worker from %I', current_user);
end
$$;
