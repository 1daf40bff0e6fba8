-- What a person had forgotten, without saying what it was: digests of its subject and of its telling words. Nothing
-- that was said before may become a note of it again.

-- id: the forgotten note's. digests: words that say it each alone. together: words most of which say it together.
create table tombstones (
  id text primary key,
  user_id text not null references users on delete cascade,
  subject text not null,
  digests text[] not null default '{}',
  together text[] not null default '{}',
  forgotten_at timestamptz not null default lanekeeper.now()
);
create index tombstones_of_person on tombstones (user_id);

alter table tombstones enable row level security;
alter table tombstones force row level security;
create policy own_rows on tombstones to lanekeeper_accept, lanekeeper_worker, lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
grant select, insert on tombstones to lanekeeper_accept, lanekeeper_worker;
grant select on tombstones to lanekeeper_maintenance;

-- Whether the note writer may read a message: not once its person had it forgotten.
alter table messages add column forgotten boolean not null default false;

-- A note lives no longer than the words it comes from.
alter table notes add constraint notes_message_fkey
  foreign key (user_id, source_message_id) references messages (user_id, id) on delete cascade;
create index notes_by_message on notes (user_id, source_message_id);
create index notes_newest on notes (user_id, saved_at desc, id desc) where replaced_by is null;

-- A person forgets in a turn, or looks through what is noted of them and takes one out.
create policy accept on notes to lanekeeper_accept
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
grant select, delete on notes to lanekeeper_accept;
grant delete on notes to lanekeeper_worker;
grant select on thread_messages, summaries to lanekeeper_accept;
grant update (message) on thread_messages to lanekeeper_accept, lanekeeper_worker;
grant update (body, version) on summaries to lanekeeper_accept;
grant update (forgets) on users to lanekeeper_worker;
create policy accept on note_progress for select to lanekeeper_accept using (user_id = (select lanekeeper.person()));
grant select on note_progress to lanekeeper_accept;
grant select (user_id), delete on model_requests to lanekeeper_worker;
create index model_requests_of_person on model_requests (user_id);
