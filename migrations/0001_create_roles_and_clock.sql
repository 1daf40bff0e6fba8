-- The people of the database. Nobody who runs the product is a superuser or bypasses row-level security.
-- Four functions run as a role of their own; lanekeeper_dispatch never logs in: it owns the few functions
-- that must look across people (who waits, whose lease has lapsed) and hands back ids only.

do $$
declare
  name text;
begin
  foreach name in array array['accept', 'stream', 'worker', 'maintenance'] loop
    if not exists (select from pg_roles where rolname = 'lanekeeper_' || name) then
      execute format('create role lanekeeper_%s login nosuperuser nocreatedb nocreaterole inherit', name);
    end if;
    if exists (select from pg_roles where rolname = 'rds_iam') then
      execute format('grant rds_iam to lanekeeper_%s', name);
    end if;
  end loop;
  if not exists (select from pg_roles where rolname = 'lanekeeper_dispatch') then
    create role lanekeeper_dispatch nologin nosuperuser nocreatedb nocreaterole inherit;
  end if;
  -- To hand functions over to the dispatch role, whoever migrates must be one of it. No chain of memberships may lead
  -- from the migrating role to rds_iam: RDS takes no password from whoever is, however indirectly, a member of that.
  execute format('grant lanekeeper_dispatch to %I', current_user);
end
$$;

create schema lanekeeper;
grant usage on schema lanekeeper to lanekeeper_accept, lanekeeper_stream, lanekeeper_worker, lanekeeper_maintenance, lanekeeper_dispatch;
grant create on schema lanekeeper to lanekeeper_dispatch;
grant usage on schema public to lanekeeper_accept, lanekeeper_stream, lanekeeper_worker, lanekeeper_maintenance, lanekeeper_dispatch;

-- The product's one clock in SQL. Nothing else asks now(): a test moves this one and all expiries move with it.
create function lanekeeper.now() returns timestamptz
language sql stable parallel safe
as $$ select clock_timestamp() $$;

-- Whose rows the running transaction may touch. Empty and unset both mean nobody.
create function lanekeeper.person() returns text
language sql stable parallel safe
as $$ select nullif(current_setting('lanekeeper.user_id', true), '') $$;

-- The advisory lock that one person's lane hangs on: two 32-bit keys, so that it meets no lock of anyone else.
create function lanekeeper.lane_key(user_id text) returns int
language sql immutable parallel safe
as $$ select hashtext(user_id) $$;
