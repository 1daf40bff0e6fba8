-- The streams that are open now. Unlogged: a stream does not outlive its database, so nothing waits for the disk,
-- and after a crash each stream that still runs writes its row again.

create unlogged table stream_sessions (
  user_id text not null,
  id text not null,
  opened_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (user_id, id)
) with (fillfactor = 50);

alter table stream_sessions enable row level security;
alter table stream_sessions force row level security;
create policy own_rows on stream_sessions to lanekeeper_stream
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
create policy dispatch on stream_sessions to lanekeeper_dispatch using (true);

grant select, insert, update, delete on stream_sessions to lanekeeper_stream;
grant select (seen_at), delete on stream_sessions to lanekeeper_dispatch;

-- How many streams are open, counted up to a number: few enough to be woken by NOTIFY? Volatile, so that a stream
-- that asks while it writes its own row counts itself.
create function lanekeeper.open_streams(silent interval, at_most int)
returns int
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  select count(*)::int from (
    select from public.stream_sessions s where s.seen_at > lanekeeper.now() - open_streams.silent limit open_streams.at_most
  ) counted
$$;

-- Streams whose process has died leave their row behind; whoever opens the next one removes it.
create function lanekeeper.forget_streams(silent interval)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  delete from public.stream_sessions s where s.seen_at < lanekeeper.now() - forget_streams.silent
$$;

do $$
declare
  f record;
begin
  grant create on schema lanekeeper to lanekeeper_dispatch;
  for f in
    select p.oid::regprocedure as signature from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'lanekeeper' and p.proname in ('open_streams', 'forget_streams')
  loop
    execute format('alter function %s owner to lanekeeper_dispatch', f.signature);
    execute format('revoke all on function %s from public', f.signature);
    execute format('grant execute on function %s to lanekeeper_stream', f.signature);
  end loop;
  revoke create on schema lanekeeper from lanekeeper_dispatch;
end
$$;
