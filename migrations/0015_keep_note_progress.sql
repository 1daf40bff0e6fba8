-- How far the note writer has read.

-- position: the place in the transcript of the last message that was read for notes. failures: how often no answer could
-- be used about what comes after it.
create table note_progress (
  conversation_id text primary key references conversations on delete cascade,
  user_id text not null references users on delete cascade,
  position int not null,
  failures int not null default 0,
  read_at timestamptz not null default lanekeeper.now()
);
create index note_progress_of_person on note_progress (user_id);

alter table note_progress enable row level security;
alter table note_progress force row level security;
create policy own_rows on note_progress to lanekeeper_worker, lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
grant select, insert, update on note_progress to lanekeeper_worker, lanekeeper_maintenance;
create policy maintenance on notes to lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
grant select, insert, update (replaced_by) on notes to lanekeeper_maintenance;
grant select on messages, thread_messages, users, conversations, inbox to lanekeeper_maintenance;

-- A note is searched for by the endings of the language in which the person was understood to write.
create policy maintenance on verdicts for select to lanekeeper_maintenance
  using (user_id = (select lanekeeper.person()));
grant select (turn_id, user_id, scores) on verdicts to lanekeeper_maintenance;

-- The calls of the writer are on the person's books, as those of a turn are.
grant select, insert, update on costs to lanekeeper_maintenance;
grant insert on limit_hits to lanekeeper_maintenance;

-- Notes go when their time is over, as the privacy notice says: those that stand, and those that were replaced.
create index notes_by_end on notes (expires_at) where expires_at is not null;
create policy dispatch on notes to lanekeeper_dispatch using (true);
grant select (expires_at), delete on notes to lanekeeper_dispatch;

create function lanekeeper.sweep_notes()
returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with gone as (delete from public.notes n where n.expires_at <= lanekeeper.now() returning 1)
  select count(*) from gone
$$;

grant create on schema lanekeeper to lanekeeper_dispatch;
alter function lanekeeper.sweep_notes() owner to lanekeeper_dispatch;
revoke create on schema lanekeeper from lanekeeper_dispatch;
revoke all on function lanekeeper.sweep_notes() from public;
grant execute on function lanekeeper.sweep_notes() to lanekeeper_maintenance;
