-- The migration runner's own bookkeeping.

-- name: take_turns
select pg_advisory_xact_lock(7325, 1)

-- name: create_migrations
create table if not exists migrations (
  name text primary key,
  sha256 text not null,
  applied_at timestamptz not null default clock_timestamp()
)

-- name: applied_migrations
select name, sha256 from migrations

-- name: record_migration
insert into migrations (name, sha256) values (%(name)s, %(sha256)s)

-- Each job of ours as it stands. The scheduler reads its list anew when it is told of a change to it, and that word is lost
-- among those of a large transaction: so it is given once more, in a small one.
-- name: schedule_anew
do $$
begin
  if to_regclass('cron.job') is not null then
    perform cron.schedule(j.jobname, j.schedule, j.command) from cron.job j
    where j.username = current_user and j.jobname is not null;
  end if;
end
$$

-- name: point_at_maintenance
insert into settings (key, value, changed_by)
values ('maintenance', jsonb_build_object('function', %(function)s::text, 'region', %(region)s::text), 'migrate')
on conflict (key) do update
set value = excluded.value, changed_by = excluded.changed_by, changed_at = lanekeeper.now()
where settings.value is distinct from excluded.value
