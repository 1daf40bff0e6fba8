-- The nightly pass over everyone who wrote something that no note writer has read.

-- night: the day that ended. One row a night, added up over all its runs.
create table nightly_runs (
  night date primary key,
  covered int not null default 0,
  skipped int not null default 0,
  failed int not null default 0,
  began_at timestamptz not null default lanekeeper.now(),
  ran_at timestamptz not null default lanekeeper.now()
);
