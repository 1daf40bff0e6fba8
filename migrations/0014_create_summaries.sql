-- What was said before the oldest message that a model is still sent, in short.

-- covers_until: the position in the thread of the last message it stands for. version: counts its makings.
create table summaries (
  conversation_id text primary key references conversations on delete cascade,
  user_id text not null references users on delete cascade,
  body text not null,
  covers_until int not null,
  version int not null default 1,
  made_at timestamptz not null default lanekeeper.now()
);
create index summaries_of_person on summaries (user_id);

alter table summaries enable row level security;
alter table summaries force row level security;
create policy own_rows on summaries to lanekeeper_accept, lanekeeper_worker, lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
grant select, update on summaries to lanekeeper_worker;
grant select, insert, update on summaries to lanekeeper_maintenance;
grant select, update (message), delete on thread_messages to lanekeeper_maintenance;
grant select, update (fill_tokens) on conversations to lanekeeper_maintenance;
grant select, update (state) on inbox to lanekeeper_maintenance;
grant select, insert, update on costs to lanekeeper_maintenance;
grant select on users, turns, uploads to lanekeeper_maintenance;
grant insert on limit_hits to lanekeeper_maintenance;

-- Counts what a person had forgotten: whoever works on what was said before finds out that it is out of date.
alter table users add column forgets int not null default 0;
-- Only to lock the row, so that nothing is written of somebody who is being deleted.
grant update (forgets) on users to lanekeeper_maintenance;

-- Whoever reads a conversation once more reads the files in it as well.
create policy maintenance on uploads for select to lanekeeper_maintenance
  using (user_id = (select lanekeeper.person()));
