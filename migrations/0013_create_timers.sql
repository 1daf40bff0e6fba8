-- What is to happen later without anyone asking for it: one row a thing and kind, moved whenever its time moves.

-- key: what the timer is for, a conversation's id or a job's. user_id: whose it is; nobody's where a job serves many.
-- claimed_until: a tick is at it; when that passes the tick has died and another takes the timer.
create table timers (
  kind text not null,
  key text not null,
  user_id text references users on delete cascade,
  conversation_id text references conversations on delete cascade,
  run_at timestamptz not null,
  claimed_until timestamptz,
  attempts int not null default 0,
  primary key (kind, key)
) with (fillfactor = 80);
create index timers_due on timers (run_at);
create index timers_of_conversation on timers (conversation_id);
create index timers_of_person on timers (user_id);

alter table timers enable row level security;
alter table timers force row level security;
create policy own_rows on timers to lanekeeper_accept, lanekeeper_worker, lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
create policy dispatch on timers to lanekeeper_dispatch using (true) with check (true);
grant select, insert, update, delete on timers to lanekeeper_worker, lanekeeper_maintenance, lanekeeper_dispatch;

-- How many tokens the next request of a conversation will have, about: 0 until it is worth knowing.
alter table conversations add column fill_tokens int not null default 0;
