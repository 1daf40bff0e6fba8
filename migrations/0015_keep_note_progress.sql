-- How far the note writer has read.

-- position: the place in the transcript of the last message of the person that was read for notes.
create table note_progress (
  conversation_id text primary key references conversations on delete cascade,
  user_id text not null references users on delete cascade,
  position int not null,
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
