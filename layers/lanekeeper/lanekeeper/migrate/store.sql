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
