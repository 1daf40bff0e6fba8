-- What memory found too late for a reply: kept for the next one, and read once.

create table late_recalls (
  conversation_id text primary key references conversations on delete cascade,
  user_id text not null references users on delete cascade,
  note_ids text[] not null,
  found_at timestamptz not null default lanekeeper.now()
);
create index late_recalls_of_person on late_recalls (user_id);

alter table late_recalls enable row level security;
alter table late_recalls force row level security;
create policy own_rows on late_recalls to lanekeeper_accept, lanekeeper_worker
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
grant select, insert, update, delete on late_recalls to lanekeeper_worker;
grant select, delete on late_recalls to lanekeeper_accept;
