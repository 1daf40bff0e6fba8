-- Row-level security: a query that forgets its filter still finds one person's rows, or none.
-- Forced, so that the tables' owner is bound as well.

do $$
declare
  t record;
  key text;
begin
  for t in
    select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r' and c.relname not in ('settings', 'audit_log', 'migrations')
  loop
    key := case t.relname when 'users' then 'id' else 'user_id' end;
    execute format('alter table %I enable row level security', t.relname);
    execute format('alter table %I force row level security', t.relname);
    execute format(
      'create policy own_rows on %I to lanekeeper_accept, lanekeeper_stream, lanekeeper_worker, lanekeeper_maintenance '
      'using (%I = (select lanekeeper.person())) with check (%I = (select lanekeeper.person()))', t.relname, key, key);
  end loop;
end
$$;

-- What each function does, and nothing more.
grant select, insert, update, delete on users, conversations, messages to lanekeeper_accept;
grant select, insert, update on lanes, inbox, turns to lanekeeper_accept;
grant select, insert on spent_keys to lanekeeper_accept;
grant select on outbox, settings to lanekeeper_accept;

grant select on conversations, turns, inbox, messages, reply_chunks, outbox, settings to lanekeeper_stream;

grant select on users, settings to lanekeeper_worker;
grant select, update on conversations, lanes, inbox, turns to lanekeeper_worker;
grant delete on turns to lanekeeper_worker;
grant select, insert, update on messages, outbox, costs to lanekeeper_worker;
grant select, insert on thread_messages, reply_chunks to lanekeeper_worker;
grant insert on limit_hits, model_requests to lanekeeper_worker;

grant select, update on lanes to lanekeeper_maintenance;

-- The dispatch role looks across people, at these columns and no others: never at what anyone said.
create policy dispatch on lanes to lanekeeper_dispatch using (true) with check (true);
create policy dispatch on outbox for select to lanekeeper_dispatch using (true);
create policy dispatch on turns for select to lanekeeper_dispatch using (true);
create policy dispatch on inbox for select to lanekeeper_dispatch using (true);
create policy dispatch on reply_chunks to lanekeeper_dispatch using (true);
create policy dispatch on model_requests to lanekeeper_dispatch using (true);
create policy dispatch on spent_keys to lanekeeper_dispatch using (true);
grant select, update on lanes to lanekeeper_dispatch;
grant select (id, user_id, state, created_at) on outbox to lanekeeper_dispatch;
grant select (id, user_id, state, finished_at) on turns to lanekeeper_dispatch;
grant select (id, user_id, state, created_at) on inbox to lanekeeper_dispatch;
grant select (turn_id, created_at), delete on reply_chunks to lanekeeper_dispatch;
grant select (id, at), delete on model_requests to lanekeeper_dispatch;
grant select (spent_at), delete on spent_keys to lanekeeper_dispatch;
