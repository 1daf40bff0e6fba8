-- What was judged of each message, and what code did about it before any model was asked.

-- One row a turn. scores: a number for a yes-or-no question, [choice, confidence] for a choice.
create table verdicts (
  turn_id text primary key references turns on delete cascade,
  user_id text not null,
  asked_at timestamptz not null default lanekeeper.now(),
  source text not null check (source in ('gateway', 'chat', 'words')),
  scores jsonb not null,
  took_ms int not null
) with (fillfactor = 80);

-- What waits for a person of the team. At most one of a kind is open for a conversation.
create table staff_items (
  id text primary key,
  user_id text not null references users on delete cascade,
  conversation_id text not null references conversations on delete cascade,
  turn_id text,
  kind text not null check (kind in ('handover', 'complaint')),
  state text not null default 'open' check (state in ('open', 'taken', 'closed')),
  summary text not null default '',
  opened_at timestamptz not null default lanekeeper.now(),
  closed_at timestamptz
);
create unique index staff_items_open on staff_items (conversation_id, kind) where state <> 'closed';
create index staff_items_of_person on staff_items (user_id);

-- A control that was asked about and can be confirmed by the next message. The last one of a conversation counts.
create table control_confirms (
  conversation_id text primary key references conversations on delete cascade,
  user_id text not null references users on delete cascade,
  control text not null check (control in ('opt_out', 'delete')),
  state text not null default 'asked' check (state in ('asked', 'confirmed')),
  asked_turn_id text not null,
  asked_at timestamptz not null default lanekeeper.now(),
  expires_at timestamptz not null
);

-- What a person has agreed to or taken back. proactive: being written to without having asked.
create table consents (
  user_id text not null references users on delete cascade,
  topic text not null check (topic in ('proactive')),
  given boolean not null,
  changed_at timestamptz not null default lanekeeper.now(),
  turn_id text,
  primary key (user_id, topic)
);

-- Deletions that were asked for. No reference to the person's row, which the job removes: then user_id is emptied too,
-- and the hash alone tells whose deletion it was.
create table deletion_jobs (
  id text primary key,
  user_id text,
  subject_hash text not null,
  step text not null default 'requested',
  state text not null default 'new' check (state in ('new', 'running', 'done', 'failed')),
  requested_at timestamptz not null default lanekeeper.now(),
  finished_at timestamptz
);
create unique index deletion_jobs_open on deletion_jobs (subject_hash) where state <> 'done';

do $$
declare
  name text;
begin
  foreach name in array array['verdicts', 'staff_items', 'control_confirms', 'consents', 'deletion_jobs'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy own_rows on %I to lanekeeper_worker '
      'using (user_id = (select lanekeeper.person())) with check (user_id = (select lanekeeper.person()))', name);
  end loop;
end
$$;

grant select, insert, update on verdicts, control_confirms, consents to lanekeeper_worker;
grant select, insert on staff_items, deletion_jobs to lanekeeper_worker;
