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

-- name: point_at_maintenance
insert into settings (key, value, changed_by)
values ('maintenance', jsonb_build_object('function', %(function)s::text, 'region', %(region)s::text), 'migrate')
on conflict (key) do update
set value = excluded.value, changed_by = excluded.changed_by, changed_at = lanekeeper.now()
where settings.value is distinct from excluded.value
