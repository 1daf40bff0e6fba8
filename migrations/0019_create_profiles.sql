-- What a person wants known of them that code filters by: a column each, and never a note.

-- name: what they want to be called, whatever their token says.
create table profiles (
  user_id text primary key references users on delete cascade,
  name text,
  home_city text,
  plan_tier text,
  budget_amount bigint,
  budget_currency text,
  changed_at timestamptz not null default lanekeeper.now(),
  check ((budget_amount is null) = (budget_currency is null))
);

alter table profiles enable row level security;
alter table profiles force row level security;
create policy own_rows on profiles to lanekeeper_accept, lanekeeper_worker, lanekeeper_maintenance
  using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()));
grant select, insert, update on profiles to lanekeeper_accept;
grant select on profiles to lanekeeper_worker, lanekeeper_maintenance;
