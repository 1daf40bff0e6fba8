-- A claim passes over a lane whose row is locked at that moment. Now it says so, with a row of nothing: whoever claims
-- looks once more, or what waits there would wait for the next tick.

create or replace function lanekeeper.claim_lane(holder text, lease interval)
returns table (user_id text, epoch bigint)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with claimed as (
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
  )
  select c.user_id, c.epoch from claimed c
  union all
  select null, null
  where not exists (select from claimed) and exists (
    select from public.lanes w where w.ready_at is not null and w.ready_at <= lanekeeper.now() and w.holder is null)
$$;
