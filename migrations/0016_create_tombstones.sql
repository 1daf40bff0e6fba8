-- What a person had forgotten, without saying what it was: its subject, and its telling words as digests. Nothing that
-- was said before may become a note of it again.

create table tombstones (
  user_id text not null references users on delete cascade,
  subject text not null,
  digests text[] not null default '{}',
  forgotten_at timestamptz not null default lanekeeper.now(),
  primary key (user_id, subject)
);

alter table tombstones enable row level security;
alter table tombstones force row level security;
create policy own_rows on tombstones to lanekeeper_accept, lanekeeper_worker, lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
grant select, insert, update on tombstones to lanekeeper_accept, lanekeeper_worker;
grant select on tombstones to lanekeeper_maintenance;

-- Whether the note writer may read a message: not once its person had it forgotten.
alter table messages add column forgotten boolean not null default false;
